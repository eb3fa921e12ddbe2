// A stream of events that survives a lost connection, a restarted server and a phone that slept.
import { listenAt, Refused, uuid } from './common.js';

/** How long the server may say nothing, in milliseconds. It says something every 15 seconds. */
const SILENT = 45_000;
/** The longest wait before the first attempt to connect again, and before any attempt, in milliseconds. The wait doubles with each attempt. */
const FIRST = 500;
const LONGEST = 15_000;

/**
 * How many tabs have a connection: those that somebody saw last. Without HTTP/2, a browser has six connections to a server,
 * and a tab also needs one for what it asks.
 */
const TABS = 4;

/** How long a frame is, in milliseconds. */
const FRAME = 16;

/**
 * Reads server-sent events. `opened` is called when the server has answered, and `says` with the names and the data of the
 * events that have arrived together. Ends with the connection. Fails with `Refused` if the server refuses.
 */
async function read(asked, opened, says) {
  const answer = await asked;
  if (!answer.ok) throw new Refused(answer.status, (await answer.json()).error);
  opened();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let pieces = []; // Of a line that has not ended.
  let name = '';
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = value.split('\n');
    const events = [];
    for (const [n, piece] of lines.entries()) {
      pieces.push(piece);
      if (n === lines.length - 1) break;
      const line = pieces.join('');
      pieces = [];
      if (line.startsWith('event: ')) name = line.slice(7);
      // Each event has one line of data.
      if (line.startsWith('data: ')) events.push([name, line.slice(6)]);
    }
    if (!events.length) continue;
    says(events);
    // What arrives within a frame is read together. The timers of a page that nobody sees may wait for a minute.
    if (document.visibilityState === 'visible') await new Promise((done) => { setTimeout(done, FRAME); });
  }
}

/** The ID of this tab, which stays when it shows another page. */
function tab() {
  try { return sessionStorage['claw.tab'] ??= uuid(); } catch { return uuid(); }
}

/** Calls `over` when somebody has opened or seen so many other tabs since somebody saw this one. */
function unseen(over) {
  const own = tab();
  const newer = new Set();
  const isSeen = () => document.visibilityState === 'visible';
  // The time makes it another value. Else it is no event.
  const announced = () => { try { localStorage['claw.seen'] = `${own} ${Date.now()}`; } catch { /* It is full. */ } };
  const seen = () => {
    if (!isSeen()) return;
    newer.clear();
    announced();
  };
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== 'claw.seen' || !newValue || isSeen()) return;
    newer.add(newValue.split(' ')[0]);
    if (newer.size < TABS) return;
    newer.clear();
    over();
  });
  document.addEventListener('visibilitychange', seen);
  addEventListener('pageshow', seen);
  announced();
}

/** Begins to listen at an address, or goes on with what `open.js` has begun. */
function begun(path) {
  const ahead = globalThis.ahead;
  delete globalThis.ahead;
  if (ahead?.path === path) return ahead;
  ahead?.control.abort();
  const control = new AbortController();
  return { control, asked: listenAt(path, control.signal) };
}

/**
 * Listens to the events at an address. `path` gives the address. `events` has a function for each name of an event; it
 * gets the data. The data of the events that are named `joined` are lists. Those that arrive together, one after the other, are
 * given as one list, so that the page is laid out once for all of them. `check` asks the server whether it can be connected
 * to: it fails if it cannot, and gives `false` if no further attempt helps. `heard` is called with each event before its
 * function; `lost` is called with the reason when the connection is lost: `closed`, `silent`, `offline`, `unseen`, or an error
 * of the server or of `check`; `again` is called after the first event of each connection but the first one.
 */
export function stream({ path, events, joined, check, heard = () => {}, lost = () => {}, again = () => {} }) {
  let connection = null;
  let isOpen = false;
  let last = Date.now();
  let attempts = 0;
  let timer = 0;
  let connections = 0;
  let turn = 0; // What an earlier connection or check says does not count.
  let rests = false; // Until somebody sees the tab.

  function connect() {
    end();
    rests = false;
    const mine = turn;
    last = Date.now();
    let isBack = connections++ > 0;
    const says = (arrived) => {
      while (arrived.length) {
        const [name, ...data] = arrived.shift();
        while (name === joined && arrived[0]?.[0] === name) data.push(arrived.shift()[1]);
        say(name, data);
      }
    };
    const say = (name, data) => {
      const then = name === 'ping' ? () => {} : events[name];
      if (mine !== turn || !then) return;
      last = Date.now();
      attempts = 0;
      try {
        heard(name);
        const all = data.map((it) => JSON.parse(it));
        then(name === joined ? all.flat() : all[0]);
        if (isBack) again();
      } catch (error) {
        reportError(error); // It is a fault of the page, and not of the connection.
      }
      isBack = false;
    };
    const over = (error) => {
      if (mine !== turn) return;
      end();
      lost(error instanceof Refused ? error : 'closed');
      later();
    };
    const { asked, control } = begun(path());
    connection = control;
    read(asked, () => { if (mine === turn) isOpen = true; }, says).then(over, over);
  }

  function end() {
    turn += 1;
    clearTimeout(timer);
    isOpen = false;
    connection?.abort();
  }

  function later() {
    clearTimeout(timer);
    // Not all pages at once, after a restart of the server.
    const most = Math.min(FIRST * 2 ** attempts++, LONGEST);
    timer = setTimeout(ask, most * (1 + Math.random()) / 2);
  }

  /** Asks first: that says why it cannot connect. */
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
    if (isSilent || !isOpen) connect();
  }
  document.addEventListener('visibilitychange', wake);
  const anew = () => { if (!rests) connect(); };
  // Chromium does not read the connection of a page any more once the page was frozen.
  document.addEventListener('resume', anew);
  addEventListener('pageshow', wake);
  addEventListener('online', anew);
  addEventListener('offline', () => {
    if (rests) return;
    // What still arrives by the old connection does not show that there is one. The server may be on this device.
    end();
    lost('offline');
    later();
  });
  unseen(() => {
    end();
    rests = true;
    lost('unseen');
  });
  // A page that is kept for Back must not keep its connection.
  addEventListener('pagehide', end);
  setInterval(() => { if (Date.now() - last > SILENT) wake(); }, LONGEST);
  connect();
}
