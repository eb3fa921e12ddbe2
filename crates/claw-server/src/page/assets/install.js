import { address, key } from './common.js';

// Has the browser keep the page's own files. Without HTTPS there is nothing that could.
navigator.serviceWorker?.register(address('/worker.js'), { scope: address('/'), updateViaCache: 'none' }).catch(() => {});
// The worker answers requests from notifications, and cannot read what pages keep.
if (key && 'caches' in window) {
  caches.open('claw-key').then((kept) => kept.put(address('/key'), new Response(key))).catch(() => {});
}
