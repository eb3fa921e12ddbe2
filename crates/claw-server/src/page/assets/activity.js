// How many sessions ask, in the title and in the bar at the top.
import { announce, at, call, Refused } from './common.js';
import { limits } from './limits.js';

let title = document.title;
let asking = 0;

/** Calls the page so, behind the number of sessions that ask. */
export function entitle(text) {
  title = text;
  document.title = asking ? `(${asking}) ${title}` : title;
}

/** Shows how many sessions ask. The first of the others is one tap away. */
export function activity(now) {
  const isMore = now.asking > asking;
  asking = now.asking;
  entitle(title);
  // The icon of an installed page. Not all browsers have it.
  (asking ? navigator.setAppBadge?.(asking) : navigator.clearAppBadge?.())?.catch(() => {});
  const link = at('others');
  const text = now.others === 1 ? '1 other session asks you' : `${now.others} other sessions ask you`;
  link.hidden = !now.others;
  link.textContent = now.others === 1 ? '1 asks' : `${now.others} ask`;
  link.title = text;
  link.href = now.others === 1 && now.first ? `/s/${encodeURIComponent(now.first)}` : '/';
  if (isMore && now.others) announce(text);
}

const SILENT = 45_000; // The server says something every 15 seconds.

/** Listens to what goes on in all sessions. The stream survives a lost connection and a phone that slept. */
export function listen(told) {
  let source = null;
  let heard = Date.now();
  let attempts = 0;
  let timer = 0;

  function connect() {
    clearTimeout(timer);
    source?.close();
    heard = Date.now();
    source = new EventSource('/stream');
    const on = (name, then) => source.addEventListener(name, (event) => {
      heard = Date.now();
      attempts = 0;
      then(JSON.parse(event.data));
    });
    on('activity', told);
    on('limits', limits);
    on('ping', () => {});
    source.onerror = () => {
      source.close();
      again();
    };
  }

  function again() {
    clearTimeout(timer);
    timer = setTimeout(check, Math.min(500 * 2 ** attempts++, 15_000));
  }

  /** Who is logged out is not asked for again and again. */
  async function check() {
    try {
      await call('GET', '/api/projects');
      connect();
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) again();
    }
  }

  function wake() {
    if (document.visibilityState !== 'visible') return;
    if (Date.now() - heard > SILENT || source?.readyState !== EventSource.OPEN) connect();
  }
  document.addEventListener('visibilitychange', wake);
  addEventListener('pageshow', wake);
  addEventListener('online', connect);
  // A page that is kept for Back must not keep its connection.
  addEventListener('pagehide', () => { clearTimeout(timer); source?.close(); });
  connect();
}
