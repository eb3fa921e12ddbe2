// How many files a session has changed, for the link to them.
import { call } from './common.js';

const PAUSE = 500; // The CLI writes its transcript a little later than it says that a turn is over.

/** Keeps the count of a link current. Gives what is called whenever a turn is over. */
export function changed(link, api) {
  let timer = 0;
  let asked = 0;

  async function count() {
    const mine = ++asked;
    // Without an answer the link has no count, and works all the same.
    const all = await call('GET', `${api}/changes?summary=true`).catch(() => null);
    if (mine !== asked || !all) return;
    const { length } = all.files;
    link.textContent = length ? `Changes ${length}${all.whole ? '' : '+'}` : 'Changes';
    link.ariaLabel = length ? `Changes: ${length} ${length === 1 ? 'file' : 'files'}` : 'Changes';
  }

  return () => {
    clearTimeout(timer);
    timer = setTimeout(count, PAUSE);
  };
}
