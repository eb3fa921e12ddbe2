// The switch for notifications of this device.
import { address, at, call, keyed, make, said } from './common.js';

const worker = () => navigator.serviceWorker.ready;
/** What the device may show is its own matter, and is kept in its browser. */
const CONTENT = 'claw.notifications.content';

const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (it) => it.charCodeAt(0));

async function current() {
  const registration = await navigator.serviceWorker?.getRegistration();
  return registration?.pushManager?.getSubscription() ?? null;
}

/** Ends the notifications of this device, such as before a logout. What fails stops nobody. */
export async function forget() {
  const subscription = await current().catch(() => null);
  if (!subscription) return;
  await call('POST', '/push/unsubscribe', { endpoint: subscription.endpoint }).catch(() => {});
  await subscription.unsubscribe().catch(() => {});
}

/** Why this browser has no notifications here. */
function lack() {
  if (!isSecureContext) return 'Notifications need HTTPS: open this page by an address that begins with https.';
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window)) {
    return 'This browser has no notifications for this page. On an iPhone or iPad, add the page to the home screen, and open it there.';
  }
  if (Notification.permission === 'denied') return 'The browser refuses notifications for this page: allow them in its settings.';
  return '';
}

async function subscribe(key, content) {
  if (await Notification.requestPermission() !== 'granted') {
    throw new Error(lack() || 'The browser was not allowed to show notifications.');
  }
  const { pushManager } = await worker();
  let subscription = await pushManager.getSubscription();
  const wanted = bytes(key);
  const before = subscription && new Uint8Array(subscription.options.applicationServerKey ?? 0);
  // Of a server with another key, it is good for nothing.
  if (before && (before.length !== wanted.length || before.some((it, n) => it !== wanted[n]))) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
  try {
    await call('POST', '/push/subscribe', { subscription: subscription.toJSON(), content });
  } catch (error) {
    await subscription.unsubscribe();
    throw new Error(said(error));
  }
}

function choice(text) {
  const box = make('input', { type: 'checkbox' });
  return [box, make('label', {}, box, make('span', { textContent: text }))];
}

async function show(key) {
  const [isOn, on] = choice('Notify this device when a session asks, is done or has failed');
  const [hasContent, content] = choice('Show what is asked and answered, also on the lock screen');
  const note = make('p', { className: 'note warning', hidden: true });
  note.setAttribute('role', 'alert');
  const tell = (text) => { note.textContent = text; note.hidden = !text; };
  hasContent.checked = localStorage.getItem(CONTENT) === 'yes';
  isOn.checked = Notification?.permission === 'granted' && await current() != null;
  const place = () => { content.hidden = !isOn.checked; };

  async function change() {
    isOn.disabled = hasContent.disabled = true;
    // The browser asks its person, and then its push service.
    tell(isOn.checked ? 'Waiting for the browser…' : '');
    try {
      localStorage.setItem(CONTENT, hasContent.checked ? 'yes' : 'no');
      if (isOn.checked) await subscribe(key, hasContent.checked); else await forget();
      tell('');
    } catch (error) {
      isOn.checked = false;
      tell(error.message);
    }
    isOn.disabled = hasContent.disabled = false;
    place();
  }
  isOn.addEventListener('change', change);
  hasContent.addEventListener('change', change);
  at('notices').append(on, content, note);
  place();
  // A server that was set up anew knows nothing of the device.
  if (isOn.checked) await change();
}

async function begin() {
  if (!at('notices')) return;
  const answer = await fetch(address('/push/key'), { headers: keyed });
  // A server without notifications has no switch.
  if (!answer.ok) return;
  const why = lack();
  at('notices').hidden = false;
  if (why) at('notices').append(make('p', { className: 'note', textContent: why }));
  else await show((await answer.json()).key);
}
begin().catch(() => {});
