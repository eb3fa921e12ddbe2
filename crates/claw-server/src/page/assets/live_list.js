// The list of sessions stays current: what asks stands on top, and what works is marked.
import { activity, listen } from './activity.js';
import { at } from './common.js';

export const phases = { running: 'working', asking: 'asks you', starting: 'starting', waiting: 'waiting', cut: 'was cut off' };

/**
 * Keeps a list current. `listOf` gives the list of a project, `row` makes a row of a session, `isAll` says whether all
 * sessions are listed, and not those that were searched for.
 */
export function liveList({ list, listOf, row, isAll }) {
  const top = at('asking');
  const onTop = top.querySelector('ul');
  let busy = null; // By ID. Null until it is known.
  const rows = new Map(); // The rows of the list by ID.
  let marked = new Set(); // What is marked there.

  const rowIn = (place, id) => [...place.children].find((it) => it.dataset.session === id);

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
    const session = busy.get(id);
    mark(item, session);
    const asks = session?.phase === 'asking';
    if (asks && item.contains(document.activeElement)) rowIn(onTop, id).querySelector('a').focus();
    item.hidden = asks;
  }

  /** Looks at few rows, however many there are: those of sessions that are busy, or were. */
  function apply() {
    if (!busy) return;
    const asking = [...busy.values()].filter((it) => it.phase === 'asking');
    // Those that are there stay where they are: nothing moves away below a finger.
    for (const session of asking) {
      let item = rowIn(onTop, session.id);
      if (!item) {
        item = row({ ...session, modified: session.since, tag: session.project });
        onTop.append(item);
      }
      mark(item, session);
    }
    if (isAll) {
      for (const session of busy.values()) {
        if (rows.has(session.id)) continue;
        list.querySelector('.empty')?.remove();
        const item = row({ ...session, modified: session.since });
        rows.set(session.id, item);
        listOf(session.project).prepend(item);
      }
    }
    for (const id of new Set([...marked, ...busy.keys()])) update(id);
    marked = new Set(busy.keys());
    for (const item of [...onTop.children]) {
      if (busy.get(item.dataset.session)?.phase !== 'asking') leave(item);
    }
    top.hidden = !asking.length;
    for (const group of list.querySelectorAll('[data-project]')) {
      group.hidden = !group.querySelector('li:not([hidden])');
    }
  }

  /** Takes rows that were added to the list. What they say of their sessions may be older than what is known. */
  function added(items) {
    for (const item of items) {
      rows.set(item.dataset.session, item);
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

  listen({
    activity(now) {
      activity({ ...now, others: 0 });
      busy = new Map(now.sessions.map((it) => [it.id, it]));
      apply();
    },
  });
  return { added, has: (id) => rows.has(id) };
}
