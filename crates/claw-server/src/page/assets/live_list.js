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

  const rowIn = (place, id) => [...place.querySelectorAll('li[data-session]')].find((it) => it.dataset.session === id);

  /** Says of a row what goes on in its session. */
  function mark(item, session) {
    const doing = item.querySelector('.doing');
    // Sessions that were cut off are not busy, and stay marked.
    if (session || doing.textContent !== phases.cut) doing.textContent = phases[session?.phase] ?? '';
    if (session) item.dataset.busy = session.phase; else delete item.dataset.busy;
    const title = item.querySelector('strong');
    if (session?.title && title.textContent === 'New session') title.textContent = session.title;
  }

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
    for (const item of [...onTop.children]) {
      if (busy.get(item.dataset.session)?.phase !== 'asking') leave(item);
    }
    top.hidden = !asking.length;
    if (isAll) {
      for (const session of busy.values()) {
        if (rowIn(list, session.id)) continue;
        list.querySelector('.empty')?.remove();
        listOf(session.project).prepend(row({ ...session, modified: session.since }));
      }
    }
    for (const item of list.querySelectorAll('li[data-session]')) {
      const session = busy.get(item.dataset.session);
      mark(item, session);
      const asks = session?.phase === 'asking';
      if (asks && item.contains(document.activeElement)) rowIn(onTop, session.id).querySelector('a').focus();
      item.hidden = asks;
    }
    for (const group of list.querySelectorAll('[data-project]')) {
      group.hidden = !group.querySelector('li:not([hidden])');
    }
  }

  /** Takes a row from the top. Who has the keyboard there goes on where the session is listed now. */
  function leave(item) {
    const hadFocus = item.contains(document.activeElement);
    item.remove();
    const below = rowIn(list, item.dataset.session);
    if (!below) return;
    below.hidden = false;
    below.parentElement.parentElement.hidden = false;
    if (hadFocus) below.querySelector('a').focus();
  }

  listen((now) => {
    activity({ ...now, others: 0 });
    busy = new Map(now.sessions.map((it) => [it.id, it]));
    apply();
  });
  return { apply, has: (id) => rowIn(list, id) != null };
}
