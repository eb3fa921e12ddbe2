// The list of sessions beside a conversation, where there is room for it.
import { at, isComposing } from './common.js';
import { listing } from './listing.js';

/** From this width on there is room. */
const wide = matchMedia('(min-width: 1000px)');
/** How long somebody may pause while he writes what he looks for, in milliseconds. */
const PAUSE = 250;
/** How many sessions are listed at most. The page of all sessions has the others. */
const MOST = 300;

/** The side bar of the page of a session. */
export function side(id) {
  const place = at('side');
  const field = place.querySelector('input');
  const more = place.querySelector('.more');
  const trouble = place.querySelector('.trouble');
  let list = null; // Made when it is seen first.
  let newest = null; // What goes on in all sessions.
  let timer = 0;

  const failed = (error) => { trouble.hidden = !error; };

  async function first(text) {
    try {
      if (!await list.search(text)) return;
      if (!text && !list.has(id)) await list.insert(id);
      list.count(text ? 'No title has this text. Enter searches the conversations.' : 'There are no sessions yet.', text !== '');
      if (!text) place.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
      failed(null);
    } catch (error) {
      failed(error);
    }
  }

  function show() {
    place.hidden = !wide.matches;
    if (!wide.matches || list) return;
    list = listing({
      place, current: id,
      more(hasMore, count) {
        more.hidden = !hasMore || count >= MOST;
        place.querySelector('.rest').hidden = !hasMore || count < MOST;
      },
    });
    if (newest) list.busy(newest);
    first('');
  }

  const load = () => list.load().then(() => failed(null), failed);
  more.addEventListener('click', load);
  // The next ones come before the end is reached.
  new IntersectionObserver(([{ isIntersecting }]) => {
    if (isIntersecting && list && !more.hidden) load();
  }, { root: place.querySelector('.scroll'), rootMargin: '200px' }).observe(more);
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => first(field.value.trim()), PAUSE);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || isComposing(event) || !field.value) return;
    // The browser would clear the field too, and say so.
    event.preventDefault();
    field.value = '';
    first('');
  });
  wide.addEventListener('change', show);
  show();
  return {
    busy(now) {
      newest = now;
      list?.busy(now);
    },
    edited: (edit) => list?.edited(edit),
    /** The connection is there again. What could not be listed may be by now. */
    again() {
      if (list && trouble.hidden) list.refresh().catch(failed);
      else if (list) first(field.value.trim());
    },
  };
}
