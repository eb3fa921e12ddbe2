// The part of a conversation that is in the document: some elements that follow each other. The server has the rest.
import { at, call, make, Refused } from './common.js';

/** So many HTML elements a conversation may have in the document before some are taken out, and so many stay. */
const MOST = 1350;
const KEPT = 1200;
/** So many elements of the conversation are fetched at once. */
const BATCH = 60;
/** What is nearer to the window than this is fetched, and what is farther away may be taken out, in pixels. */
const NEAR = 1000;
const FAR = 2000;

/**
 * What of a conversation is in `log`. `path` is where its routes are, `perform` carries an operation out, `shown` is called
 * with elements that have come, `moved` after others are in the document, `isAtEnd` says whether the reader is at the newest,
 * `reveal` unfolds the cards in which an element of a sub-agent is.
 */
export function partOf(log, path, { perform, shown, moved, isAtEnd, reveal }) {
  const older = edge('older', 'before');
  const later = edge('later', 'after');
  let epoch = null;
  let hasNewest = true; // Whether nothing is behind the last element in the document.
  let reached = 0; // The last event that the newest elements contained when they were fetched.
  let before = 0;
  let jumps = 0; // Whoever fetched something before the last jump is late.
  let numbers = new WeakMap(); // The last event that an element contained when it was fetched.
  const waiting = new Set(); // What is being fetched, with the operations that came meanwhile.
  const folds = new Map(); // What the reader has unfolded, by the element, also while it is not in the document.

  /** A button beside the log, for where elements are missing. It works by itself when it comes near. */
  function edge(name, side) {
    const button = make('button', { type: 'button', id: name, className: 'edge quiet', hidden: true });
    log[side](button);
    button.addEventListener('click', () => load(button));
    return button;
  }
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) load(target);
  }, { rootMargin: `${NEAR}px 0px` });

  // What the reader sees, and where.

  /** The first element that the reader sees, and its place in the window. */
  function eye() {
    const top = document.querySelector('.top').offsetHeight;
    const all = log.children;
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle].getBoundingClientRect().bottom > top) high = middle; else low = middle + 1;
    }
    // Or else what stands behind the conversation: a request.
    const behind = () => [...at('requests').children].find((it) => it.getBoundingClientRect().bottom > top);
    const element = all[low] ?? behind() ?? log.lastElementChild;
    return element && { id: element.id, element, y: element.getBoundingClientRect().top };
  }

  /** Brings what the reader saw to the same place again. */
  function restore(seen) {
    const element = seen && (at(seen.id) ?? seen.element);
    if (!element?.isConnected) return;
    const moved = element.getBoundingClientRect().top - seen.y;
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' });
  }

  function still(change) {
    const seen = eye();
    change();
    restore(seen);
  }

  // What comes from the server.

  /** Fetches elements. `null` if they are no longer wanted, or cannot be had now; `missing` is called if there are none. */
  async function fetched(query, missing) {
    const mine = { operations: [], jumps };
    waiting.add(mine);
    try {
      const window = await call('GET', `${path}/elements?${new URLSearchParams(query)}`);
      // The transcript of a sub-agent is wanted as long as its card is there, wherever the reader has gone.
      const isWanted = (query.agent || mine.jumps === jumps) && window.epoch === epoch;
      return isWanted ? { ...window, operations: mine.operations } : null;
    } catch (error) {
      // The page says by itself that the server cannot be reached.
      if (error instanceof Refused && error.status === 404 && mine.jumps === jumps) missing?.();
      return null;
    } finally {
      waiting.delete(mine);
    }
  }

  /** The sections of some elements, as the reader has left them. */
  function sectionsOf(window) {
    const template = make('template', { innerHTML: window.html });
    const sections = [...template.content.children];
    for (const section of sections) {
      numbers.set(section, window.n);
      folds.get(section.id)?.forEach((open, n) => {
        const details = section.querySelectorAll('details')[n];
        if (details) details.open = open;
      });
    }
    return sections;
  }

  /** What is said beside the elements that are there. */
  function label() {
    older.textContent = `Show older (${before.toLocaleString('en')})`;
    later.textContent = 'Show newer';
    older.hidden = before <= 0;
    later.hidden = hasNewest;
    for (const button of [older, later]) {
      near.unobserve(button);
      near.observe(button);
    }
    moved();
  }

  /** Puts fetched elements into the document, and carries out what has happened to them since. */
  function put(window, how) {
    const sections = sectionsOf(window);
    how(sections);
    shown(log);
    const known = new Set(sections.map((it) => it.id));
    for (const operation of window.operations ?? []) {
      const isNew = operation.op === 'add' && hasNewest && !operation.card && !at(operation.id);
      if (isNew) known.add(operation.id);
      if (known.has(operation.id) && isAhead(operation)) perform(operation);
    }
    label();
  }

  /** Shows these elements in place of all others. */
  function fill(window) {
    jumps += 1;
    before = window.before;
    hasNewest = window.after === 0;
    if (hasNewest) reached = window.n;
    put(window, (sections) => log.replaceChildren(...sections));
  }

  /** Fetches what is missing at one end. */
  async function load(button) {
    if (button.hidden || button.ariaBusy === 'true') return;
    const isOlder = button === older;
    const last = isOlder ? log.firstElementChild : log.lastElementChild;
    if (!last) return;
    button.ariaBusy = 'true';
    const window = await fetched({ [isOlder ? 'before' : 'after']: last.id, limit: BATCH });
    button.ariaBusy = 'false';
    // What they were to stand beside may have been taken out.
    if (!window || last !== (isOlder ? log.firstElementChild : log.lastElementChild)) return;
    still(() => {
      if (isOlder) before = window.before;
      else if (window.after === 0) { hasNewest = true; reached = window.n; }
      put(window, (sections) => log[isOlder ? 'prepend' : 'append'](...sections));
    });
    trim();
  }

  /** Takes out of the document what is far from the reader, if there is much. */
  function trim() {
    const sizeOf = (it) => it.getElementsByTagName('*').length + 1;
    let size = sizeOf(log);
    if (size <= MOST) return;
    const all = [...log.children];
    const places = all.map((it) => it.getBoundingClientRect());
    const gone = [];
    let [first, last] = [0, all.length - 1];
    while (size > KEPT && first < last) {
      const above = -places[first].bottom;
      const below = places[last].top - innerHeight;
      if (Math.max(above, below) < FAR) break;
      const farthest = all[above > below ? first++ : last--];
      size -= sizeOf(farthest);
      gone.push(farthest);
    }
    if (!gone.length) return;
    still(() => {
      before += first;
      if (last < all.length - 1) hasNewest = false;
      gone.forEach((it) => it.remove());
      label();
    });
  }

  // What the page does.

  /** Whether an operation is news to the element in the document. */
  function isAhead({ op, n, id }) {
    const section = at(id);
    if (section) return n > (numbers.get(section) ?? 0);
    return op === 'add' && hasNewest && n > reached;
  }

  /** Whether an operation of the stream is to be carried out now. */
  function takes(operation) {
    if (operation.op === 'reset') return true;
    for (const it of waiting) it.operations.push(operation);
    // What happens in a sub-agent is not news to the main conversation.
    return (!operation.card || at(operation.id) != null) && isAhead(operation);
  }

  /** The newest elements, after which operations follow. Whoever reads something else goes on with that. */
  async function reset(window) {
    const seen = !log.firstElementChild || isAtEnd() ? null : eye();
    epoch = window.epoch;
    numbers = new WeakMap();
    if (seen?.id && !window.html.includes(`<section id="${seen.id}"`)) {
      jumps += 1;
      hasNewest = false;
      label();
      const there = await fetched({ around: seen.id, limit: BATCH }, () => goTo('newest'));
      if (!there) return; // If the connection is lost again, what comes after that tries again.
      const now = eye();
      fill(there);
      restore(now && at(now.id) ? now : seen);
      return;
    }
    fill(window);
    restore(seen);
    // These elements fill a screen. Some that come before them are fetched when they are drawn.
    requestAnimationFrame(() => setTimeout(() => load(older)));
  }

  /** Shows an element. Gives its section, or `null` if there is none. */
  async function show(id) {
    if (at(id)) return at(id);
    jumps += 1;
    const window = await fetched({ around: id, limit: BATCH });
    if (!window) return null;
    fill(window);
    if (window.cards) await reveal(window.cards, id);
    return at(id);
  }

  /** Shows the newest elements, or the oldest. */
  async function goTo(end) {
    const isThere = end === 'newest' ? hasNewest : before <= 0;
    if (!isThere) {
      jumps += 1;
      const window = await fetched(end === 'newest' ? {} : { oldest: true });
      if (!window) return;
      fill(window);
    }
    scrollTo({ top: end === 'newest' ? document.documentElement.scrollHeight : 0, behavior: 'instant' });
    trim();
  }

  /** Where the reader is: at the newest element, or where he sees something else. */
  function place() {
    const seen = isAtEnd() ? null : eye();
    return seen?.id ? { id: seen.id, y: seen.y } : 'newest';
  }

  /** Brings the reader to such a place. */
  async function bring(where) {
    if (!where || where === 'newest') return goTo('newest');
    if (await show(where.id)) restore(where);
    return undefined;
  }

  log.addEventListener('toggle', ({ target }) => {
    const section = target.closest('#log > section');
    if (!section) return;
    const open = [...section.querySelectorAll('details')].map((it) => it.open);
    if (open.includes(true)) folds.set(section.id, open); else folds.delete(section.id);
  }, true);

  return {
    bring, eye, fetched, folds, goTo, place, reset, restore, sectionsOf, show, takes, trim,
    hasNewest: () => hasNewest,
    hasOldest: () => before <= 0,
  };
}

/** So many unfolded elements are remembered for when the reader comes back to the page. */
const MOST_FOLDS = 200;

/** The element that the address names, if it does. */
function named() {
  try {
    const id = decodeURIComponent(location.hash.slice(1));
    return id.startsWith('e-') ? id : null;
  } catch {
    return null;
  }
}

/** Keeps where the reader is for when he comes back, and goes where an address leads: `#e-…` names an element. */
export function remembered(part) {
  history.scrollRestoration = 'manual';
  const keep = () => {
    const place = part.place();
    history.replaceState({ ...history.state, place, folds: [...part.folds].slice(-MOST_FOLDS) }, '');
  };
  const kept = history.state;
  for (const [id, open] of kept?.folds ?? []) part.folds.set(id, open);
  addEventListener('pagehide', keep);
  addEventListener('visibilitychange', () => { if (document.visibilityState === 'hidden') keep(); });
  addEventListener('click', ({ target }) => { if (target.closest?.('a[href^="#"]')) keep(); }, true);

  async function arrive() {
    const place = history.state?.place;
    if (place) return part.bring(place);
    const id = named();
    const section = id && await part.show(id);
    section?.scrollIntoView({ block: 'start', behavior: 'instant' });
    return undefined;
  }
  addEventListener('popstate', arrive);
  addEventListener('keydown', (event) => {
    const isKey = !event.altKey && !event.shiftKey && !event.metaKey && !event.target.closest('input, textarea, select');
    const end = isKey && { Home: !part.hasOldest() && 'oldest', End: !part.hasNewest() && 'newest' }[event.key];
    if (!end) return;
    event.preventDefault();
    part.goTo(end);
  });
  return { arrive };
}
