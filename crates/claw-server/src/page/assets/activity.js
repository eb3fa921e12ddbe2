// How many sessions ask, in the title and in the bar at the top.
import { alerts } from './alerts.js';
import { address, announce, at, call, may, Refused, said } from './common.js';
import { limits } from './limits.js';
import { stream } from './stream.js';

let title = document.title;
let asking = 0;
let next = null; // The first of the other sessions that ask.

/** Where the next session that asks is, and its title. `null` if no other one asks. */
export const nextAsking = () => next;

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
  const whom = may('answerRequest') ? ' you' : '';
  const text = now.others === 1 ? `1 other session asks${whom}` : `${now.others} other sessions ask${whom}`;
  link.hidden = !now.others;
  link.textContent = now.others === 1 ? '1 asks' : `${now.others} ask`;
  link.title = text;
  next = now.first ? { href: address(`/s/${encodeURIComponent(now.first)}`), title: now.firstTitle || 'New session' } : null;
  link.href = now.others && next ? next.href : address('/');
  if (isMore && now.others) announce(text);
  alerts(now.sessions);
}

/**
 * Listens to what goes on in all sessions. `events` has a function for each name of an event. `again` is called when a
 * connection that was lost is there again.
 */
export const listen = (events, again) => stream({
  path: () => '/stream',
  again,
  events: { limits, ...events },
  /** Who is logged out is not asked for again and again, and is told. */
  async check() {
    try {
      await call('GET', '/api/projects');
      return true;
    } catch (error) {
      if (!(error instanceof Refused && error.status === 401)) throw error;
      const trouble = at('trouble');
      if (trouble) trouble.textContent = said(error);
      if (trouble) trouble.hidden = false;
      return false;
    }
  },
});
