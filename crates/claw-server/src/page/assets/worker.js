// Keeps the page's own files: scripts, style sheets and icons, which are the same for everybody. Nothing else is kept: no
// page, no response of the API, nothing that was said. BASE, FILES and POLICY stand above: the server writes them.
const SHELL = `claw-shell-${VERSION}`;

addEventListener('install', (event) => {
  event.waitUntil(caches.open(SHELL).then((shell) => shell.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener('activate', (event) => {
  const isOld = (name) => name.startsWith('claw-shell-') && name !== SHELL;
  event.waitUntil(caches.keys().then((all) => Promise.all(all.filter(isOld).map((name) => caches.delete(name)))));
});

/** What stands in the place of a page while the server cannot be reached. */
function offline() {
  const html = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    + '<title>Not connected</title>' + `<link rel="stylesheet" href="${STYLE}">`
    + '<main><h1>Not connected</h1><p>The server cannot be reached.</p><p><a href="">Try again</a></p></main>';
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY, 'cache-control': 'no-store' };
  return new Response(html, { status: 503, headers });
}

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (FILES.includes(pathname)) {
    event.respondWith(caches.match(request, { cacheName: SHELL }).then((kept) => kept ?? fetch(request)));
  } else if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(offline));
  }
});
