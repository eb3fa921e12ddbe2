// Rows of sessions, a page of them at a time, which stay current.
import { showAgainst } from './against.js';
import { address, announce, call, make, sizeOf, titled } from './common.js';
import { costOf } from './cost.js';
import { liveList, phases } from './live_list.js';

const MINUTE = 60_000;
const GROUPED = `claw.grouped${address('/')}`;

/** Whether the lists of this browser are grouped by project, or one by time. */
export const isGrouped = () => localStorage.getItem(GROUPED) === 'true';
export const setGrouped = (is) => localStorage.setItem(GROUPED, String(is));

/** How long ago, in words. */
export function ago(time) {
  const then = typeof time === 'number' ? time : Date.parse(time);
  if (!then) return '';
  const seconds = Math.max(0, (Date.now() - then) / 1000);
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, length] of [['day', 86_400], ['hour', 3_600], ['minute', 60]]) {
    if (seconds >= length) return words.format(-Math.floor(seconds / length), unit);
  }
  return 'just now';
}

/**
 * A list of sessions in `place`, which has an element `.asking` for those that ask, and `.list` for all. `current` is the
 * ID of the session that the page shows. `about` opens what a person can change of a session; without it rows have no
 * button for that. `isArchived` lists those that are archived. `answer` puts a button on the row of one that asks.
 *
 * Gives functions: `load` gets the next page, `search` begins again with those that have a text, `busy` and `edited` take
 * the events of the stream.
 */
export function listing({ place, current = null, about = null, isArchived = false, answer = null, more }) {
  const list = place.querySelector('.list');
  let query = '';
  let cursor = null;
  let asked = 0; // What comes of an earlier search does not count.

  /** `isOnTop`: among those of all projects that ask. */
  function row(session, isOnTop = false) {
    const doing = make('span', { className: 'doing', textContent: phases[session.phase] ?? '' });
    const link = make('a', { href: address(`/s/${encodeURIComponent(session.id)}`) },
      make('strong'), make('span', { className: 'last' }),
      make('small', {}, doing, make('span', { className: 'when' }), make('span', { className: 'of-project' }), make('span', { className: 'branch' }), make('span', { className: 'against' }),
        make('span', { className: 'config' }), make('span', { className: 'tag' }), make('span', { className: 'spent' }), make('span', { className: 'size' })));
    // The heading of a project's list has its name.
    link.querySelector('.of-project').hidden = isGrouped() && !isOnTop;
    if (session.id === current) link.ariaCurrent = 'page';
    const item = make('li', {}, link);
    if (about) {
      item.append(make('button', {
        type: 'button', className: 'quiet edit', textContent: '⋯', ariaLabel: `Rename, tag, archive or delete ${session.title || 'this session'}`,
        ariaHasPopup: 'dialog', onclick: () => about(session.id),
      }));
    }
    item.dataset.session = session.id;
    tell(item, session);
    return item;
  }

  /**
   * Says in a row what may change: its title and its tag, what was said last and when, its branch, its folder, its
   * cost, and its size.
   */
  function tell(item, { title, forkDepth, tag, modified, project, branch, lastMessage, configDir, configName, cost, size, worktree }) {
    item.querySelector('.tag').textContent = tag ?? '';
    // The beginning of a conversation that has no title is its title.
    item.querySelector('.last').textContent = lastMessage && lastMessage !== title ? lastMessage : '';
    item.querySelector('.of-project').textContent = project ?? '';
    item.dataset.fork = forkDepth ?? '';
    item.querySelector('strong').textContent = titled(title, forkDepth);
    item.querySelector('.branch').textContent = branch ?? '';
    showAgainst(item, worktree);
    item.querySelector('.config').textContent = configName ?? '';
    item.querySelector('.config').title = configDir ? `Configuration folder ${configDir}` : '';
    item.querySelector('.spent').textContent = cost ? costOf(cost.usd, cost.isEstimate) : '';
    item.querySelector('.size').textContent = size ? sizeOf(size) : '';
    item.dataset.modified = modified ?? Date.now();
    item.dataset.at = modified ?? '';
    tellTime(item);
  }

  function tellTime(item) {
    const when = item.querySelector('.when');
    const time = Number(item.dataset.at);
    when.textContent = ago(time);
    when.title = time ? new Date(time).toLocaleString() : '';
  }
  // A page that is open all day says the truth all day.
  const tellTimes = () => place.querySelectorAll('[data-at]').forEach(tellTime);
  setInterval(tellTimes, MINUTE);
  document.addEventListener('visibilitychange', tellTimes);

  const entry = (id) => call('GET', `/api/sessions/${encodeURIComponent(id)}/entry`).catch(() => null);

  /** What a session is busy with is over. */
  async function over(item) {
    const session = await entry(item.dataset.session);
    if (session) tell(item, session);
  }

  const rows = liveList({
    list, onTop: place.querySelector('.asking'), row, isWhole: () => !query, isArchived, isGrouped, insert, over, answer,
  });

  /** Puts a session into the list where it belongs, if it is not there. */
  async function insert(id) {
    const mine = asked;
    const session = await entry(id);
    if (session && mine === asked && !rows.has(id) && session.archived === isArchived) put(session);
  }

  function put(session) {
    const item = row(session);
    const older = [...rows.listOf(session.project).children].find((it) => Number(it.dataset.modified) < session.modified);
    if (older) older.before(item); else rows.listOf(session.project).append(item);
    rows.added([item]);
  }

  /** Says anew of the newest sessions what may have changed while nothing was heard of them. */
  async function refresh() {
    if (query) return;
    const mine = asked;
    const { sessions } = await call('GET', `/api/sessions?${new URLSearchParams(isArchived ? { archived: true } : {})}`);
    if (mine !== asked) return;
    for (const session of sessions) {
      const item = rows.get(session.id);
      if (item) tell(item, session); else put(session);
    }
  }

  /** Gets the next page. Gives `false` if another search was begun meanwhile. */
  async function load() {
    const mine = asked;
    const path = new URLSearchParams({ ...(query && { q: query }), ...(cursor && { cursor }), ...(isArchived && { archived: true }) });
    list.ariaBusy = 'true';
    try {
      const page = await call('GET', `/api/sessions?${path}`);
      if (mine !== asked) return false;
      const items = [];
      for (const session of page.sessions) {
        if (rows.has(session.id)) continue;
        const item = row(session);
        items.push(item);
        rows.listOf(session.project).append(item);
      }
      rows.added(items);
      cursor = page.next;
      more(cursor != null, list.querySelectorAll('li').length);
      return true;
    } finally {
      if (mine === asked) list.ariaBusy = 'false';
    }
  }

  /** Begins again, with those that have a text, or with all. */
  function search(text) {
    asked += 1;
    query = text;
    cursor = null;
    rows.clear();
    return load();
  }

  /** Says that there is nothing, if so, and to a screen reader how many there are, unless nobody asked. */
  function count(nothing, isAsked = true) {
    const { length } = list.querySelectorAll('li');
    if (!list.childElementCount) list.append(make('p', { className: 'empty', textContent: nothing }));
    if (isAsked) announce(`${length} sessions`);
  }

  return {
    load, search, refresh, count, insert, entry, has: rows.has, busy: rows.busy,
    edited(edit) { if (edit) rows.edited(edit); else search(query); },
  };
}
