// A list of sessions stays current: what asks stands on top, and what works is marked.
import { showAgainst } from './against.js';
import { make, may, titled } from './common.js';

/** Whether a request of the session waits for a person, with a process or without one. */
const asksSomebody = (session) => ['asking', 'deferred'].includes(session?.phase);

const asks = may('answerRequest') ? 'asks you' : 'waits for an answer';
export const phases = { running: 'working', asking: asks, deferred: asks, starting: 'starting', waiting: 'waiting', limited: 'waits for a usage limit', cut: 'was cut off' };

/**
 * Keeps a list current. `onTop` is the section for the sessions that ask. `row` makes a row of a session, for this section if its second argument is true, `isWhole` says
 * whether no sessions are left out that a search has not found; `isArchived` whether the list is of those that are archived
 * alone; `isGrouped` whether each project has a list. `answer` puts a button on the row of a session that asks. `insert` gets a session into the list by its ID. `over` is called with the row of one that is not busy any more.
 */
export function liveList({ list, onTop: top, row, isWhole, isArchived, isGrouped, insert, over, answer }) {
  const onTop = top.querySelector('ul');
  let busy = null; // By ID. Null until it is known.
  const rows = new Map(); // The rows of the list by ID.
  let marked = new Set(); // What is marked there.
  const cut = new Set(); // The sessions that were cut off. They wait for a person as well.
  const isCut = (item) => item.querySelector('.doing').textContent === phases.cut;

  const rowIn = (place, id) => [...place.children].find((it) => it.dataset.session === id);

  /** The list of a project's sessions, or of all. */
  function listOf(its) {
    const project = isGrouped() ? its : '';
    let group = [...list.querySelectorAll('[data-project]')].find((it) => it.dataset.project === project);
    if (!group) {
      group = make('div', {}, ...(project ? [make('h2', { className: 'project', textContent: project })] : []), make('ul', { className: 'sessions' }));
      group.dataset.project = project;
      list.append(group);
    }
    return group.querySelector('ul');
  }

  /** Says of a row what goes on in its session. */
  function mark(item, session) {
    const doing = item.querySelector('.doing');
    // Sessions that were cut off are not busy, and stay marked.
    if (session || doing.textContent !== phases.cut) doing.textContent = phases[session?.phase] ?? '';
    if (session) item.dataset.busy = session.phase; else delete item.dataset.busy;
    const title = item.querySelector('strong');
    if (session?.title && title.textContent === 'New session') title.textContent = session.title;
  }

  /** Marks a row of the list, or hides it while the session stands on top. */
  function update(id) {
    const item = rows.get(id);
    if (!item) return;
    const session = busy?.get(id);
    mark(item, session);
    const asks = asksSomebody(session) || cut.has(id);
    if (asks && item.contains(document.activeElement)) rowIn(onTop, id)?.querySelector('a').focus();
    item.hidden = asks;
    // What goes on is seen, wherever it was put.
    if (!session && item.dataset.isElsewhere) drop(item);
  }

  /** Takes a row out of the list. Who has the keyboard there goes on with the next row. */
  function drop(item) {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    if (item.contains(document.activeElement)) (next ?? list.parentElement)?.querySelector('a, button')?.focus();
    rows.delete(item.dataset.session);
    item.remove();
    hideEmpty();
  }

  function hideEmpty() {
    for (const group of list.querySelectorAll('[data-project]')) {
      group.hidden = !group.querySelector('li:not([hidden])');
    }
  }

  /** Looks at few rows, however many there are: those of sessions that are busy, or were. */
  function apply() {
    if (!busy) return;
    for (const id of cut) if (busy.has(id) || !rows.has(id)) cut.delete(id);
    const asking = [...busy.values()].filter(asksSomebody);
    // Those that are there stay where they are: nothing moves away below a finger.
    for (const session of asking) {
      let item = rowIn(onTop, session.id);
      if (!item) {
        item = row({ ...session, forkDepth: rows.get(session.id)?.dataset.fork, modified: session.since }, true);
        onTop.append(item);
        answer?.(item, session.phase === 'asking');
      }
      mark(item, session);
    }
    for (const id of cut) {
      if (rowIn(onTop, id)) continue;
      const { dataset } = rows.get(id);
      const title = rows.get(id).querySelector('strong').textContent;
      const project = rows.get(id).querySelector('.of-project').textContent;
      onTop.append(row({ id, title, project, phase: 'cut', modified: Number(dataset.modified) }, true));
    }
    if (isWhole() && !isArchived) {
      for (const session of busy.values()) {
        if (rows.has(session.id)) continue;
        list.querySelector('.empty')?.remove();
        const item = row({ ...session, modified: session.since });
        rows.set(session.id, item);
        listOf(session.project).prepend(item);
      }
    }
    for (const id of new Set([...marked, ...busy.keys(), ...cut])) update(id);
    for (const id of marked) if (!busy.has(id) && rows.has(id)) over(rows.get(id));
    marked = new Set(busy.keys());
    for (const item of [...onTop.children]) {
      if (!asksSomebody(busy.get(item.dataset.session)) && !cut.has(item.dataset.session)) leave(item);
    }
    top.hidden = !onTop.childElementCount;
    hideEmpty();
  }

  /** Takes rows that were added to the list. What they say of their sessions may be older than what is known. */
  function added(items) {
    if (items.length) list.querySelector('.empty')?.remove();
    for (const item of items) {
      rows.set(item.dataset.session, item);
      if (isCut(item) && !isArchived) cut.add(item.dataset.session);
      if (busy) update(item.dataset.session);
    }
    apply();
  }

  /** Takes a row from the top. Who has the keyboard there goes on where the session is listed now. */
  function leave(item) {
    const hadFocus = item.contains(document.activeElement);
    item.remove();
    const below = rows.get(item.dataset.session);
    if (!below) return;
    below.parentElement.parentElement.hidden = false;
    if (hadFocus) below.querySelector('a').focus();
  }

  /** The title, the tag or the place of a session has changed, or the session was deleted. */
  function edited({ id, title, tag, archived, deleted, worktree }) {
    const item = rows.get(id);
    if (deleted) {
      cut.delete(id);
      busy?.delete(id);
      rowIn(onTop, id)?.remove();
      top.hidden = !onTop.childElementCount;
      if (item) drop(item);
      return;
    }
    for (const it of [item, rowIn(onTop, id)]) {
      if (!it) continue;
      if (title !== undefined) it.querySelector('strong').textContent = titled(title, it.dataset.fork);
      if (title !== undefined) it.querySelector('.edit')?.setAttribute('aria-label', `Rename, tag, archive or delete ${title}`);
      if (worktree !== undefined) showAgainst(it, worktree);
      if (tag !== undefined && it === item) it.querySelector('.tag').textContent = tag;
    }
    if (archived === undefined) return;
    if (archived === isArchived) {
      if (item) delete item.dataset.isElsewhere;
      else if (isWhole()) insert(id);
    } else if (item) {
      item.dataset.isElsewhere = 'true';
      update(id);
    }
  }

  return {
    added, edited, listOf,
    get: (id) => rows.get(id),
    has: (id) => rows.has(id),
    clear() { rows.clear(); cut.clear(); list.replaceChildren(); },
    /** What goes on in all sessions. */
    busy({ sessions }) {
      busy = new Map(sessions.map((it) => [it.id, it]));
      apply();
    },
  };
}
