
// Notifications.

const KINDS = { request: 'Claude asks', finished: 'Claude is done', failed: 'Claude has failed' };

/** Shows what has happened. What could be allowed there stands there whole, or else there is only the way to the page. */
addEventListener('push', (event) => {
  let it = {};
  try { it = event.data.json(); } catch { /* A browser wants something to be shown. */ }
  const body = [it.title, it.text].filter(Boolean).join('\n');
  const actions = it.request ? [{ action: 'allow', title: 'Allow' }, { action: 'deny', title: 'Deny' }] : [{ action: 'open', title: 'Open' }];
  // With buttons there is what they are about, and nothing that could hide it.
  const shown = it.request ? it.text : body;
  const there = registration.showNotification(`${KINDS[it.kind] ?? 'claw'}: ${it.project ?? ''}`, {
    body: shown, actions, data: it, tag: it.request ?? it.session, icon: FILES.find((file) => file.endsWith('icon-192.png')),
    requireInteraction: it.kind === 'request',
  });
  event.waitUntil(it.kind === 'request' ? there : there.then(() => withdraw(it.session)));
});

/** Closes the notifications about requests of a session, which waits for no answer any more. */
async function withdraw(session) {
  for (const it of await registration.getNotifications()) {
    if (it.data?.kind === 'request' && it.data.session === session) it.close();
  }
}

addEventListener('notificationclick', (event) => {
  const { action, notification } = event;
  notification.close();
  const isAnswer = notification.data?.request && (action === 'allow' || action === 'deny');
  event.waitUntil(isAnswer ? answer(notification, action) : show(notification.data?.session));
});

/** Answers a request. The first answer counts; one that did not is said to be none. */
async function answer(notification, decision) {
  const { session, request } = notification.data;
  const path = `${BASE}/api/sessions/${encodeURIComponent(session)}/requests/${encodeURIComponent(request)}`;
  const kept = await caches.match(`${BASE}/key`, { cacheName: 'claw-key' });
  const headers = { 'content-type': 'application/json', 'x-claw-viewer': 'a notification', ...(kept && { 'x-claw-key': await kept.text() }) };
  let why = 'The server cannot be reached.';
  try {
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ decision }) });
    if (response.ok) return;
    const { error } = await response.json();
    why = response.status === 401 ? 'You are signed out.' : error?.message ?? `The server answered with status ${response.status}.`;
  } catch { /* It is not reached. */ }
  await registration.showNotification('The answer does not count', {
    body: `${why}\n${notification.body}`, data: { session }, tag: request, actions: [{ action: 'open', title: 'Open' }],
  });
}

/** Goes to the page of a session. */
async function show(session) {
  const path = session ? `${BASE}/s/${encodeURIComponent(session)}` : BASE || '/';
  const pages = await clients.matchAll({ type: 'window' });
  const there = pages.find((page) => new URL(page.url).pathname === path);
  await (there ? there.focus() : clients.openWindow(path));
}
