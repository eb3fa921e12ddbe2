// A stream of events that survives a lost connection, a restarted server and a phone that slept.
import { address } from './common.js';

/** How long the server may say nothing, in milliseconds. It says something every 15 seconds. */
const SILENT = 45_000;
/** The longest wait before the first attempt to connect again, and before any attempt, in milliseconds. The wait doubles with each attempt. */
const FIRST = 500;
const LONGEST = 15_000;

/**
 * Listens to the events at an address. `path` gives the address. `events` has a function for each name of an event; it
 * gets the data. `check` asks the server whether it can be connected to: it fails if it cannot, and gives `false` if no
 * further attempt helps. `heard` is called with each event before its function; `lost` is called with the reason when
 * the connection is lost: `closed`, `silent`, `offline`, or the error of `check`; `again` is called after the first event of
 * each connection but the first one.
 */
export function stream({ path, events, check, heard = () => {}, lost = () => {}, again = () => {} }) {
  let source = null;
  let last = Date.now();
  let attempts = 0;
  let timer = 0;
  let connections = 0;
  let turn = 0; // What an earlier connection or check says does not count.

  function connect() {
    end();
    const mine = turn;
    last = Date.now();
    source = new EventSource(address(path()));
    let isBack = connections++ > 0;
    for (const [name, then] of Object.entries({ ping: () => {}, ...events })) {
      source.addEventListener(name, (event) => {
        if (mine !== turn) return;
        last = Date.now();
        attempts = 0;
        heard(name);
        then(event.data ? JSON.parse(event.data) : null);
        if (isBack) again();
        isBack = false;
      });
    }
    source.onerror = () => {
      if (mine !== turn) return;
      end();
      lost('closed');
      later();
    };
  }

  function end() {
    turn += 1;
    clearTimeout(timer);
    source?.close();
  }

  function later() {
    clearTimeout(timer);
    // Not all pages at once, after a restart of the server.
    const most = Math.min(FIRST * 2 ** attempts++, LONGEST);
    timer = setTimeout(ask, most * (1 + Math.random()) / 2);
  }

  /** Asks first: an event source does not say why it cannot connect. */
  async function ask() {
    const mine = turn;
    try {
      const helps = await check();
      if (mine === turn && helps !== false) connect();
    } catch (error) {
      if (mine !== turn) return;
      lost(error);
      later();
    }
  }

  /** Somebody looks at the page again. A page that nobody sees may be connected to nothing. */
  function wake() {
    if (document.visibilityState !== 'visible') return;
    const isSilent = Date.now() - last > SILENT;
    if (isSilent) lost('silent');
    if (isSilent || source?.readyState !== EventSource.OPEN) connect();
  }
  document.addEventListener('visibilitychange', wake);
  document.addEventListener('resume', wake);
  addEventListener('pageshow', wake);
  addEventListener('online', connect);
  addEventListener('offline', () => {
    // What still arrives by the old connection does not show that there is one. The server may be on this device.
    end();
    lost('offline');
    later();
  });
  // A page that is kept for Back must not keep its connection.
  addEventListener('pagehide', end);
  setInterval(() => { if (Date.now() - last > SILENT) wake(); }, LONGEST);
  connect();
}
