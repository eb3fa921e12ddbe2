// Has the browser keep the page's own files. Without HTTPS there is nothing that could.
navigator.serviceWorker?.register('/worker.js', { updateViaCache: 'none' }).catch(() => {});
