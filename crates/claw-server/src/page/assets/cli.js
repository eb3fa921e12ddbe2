// Whether sessions can work at all.
import { call, make } from './common.js';

/** Says in a place what keeps all sessions from working, and what mends it. */
export async function showCli(place) {
  try {
    const { problem } = await call('GET', '/api/cli');
    place.hidden = problem == null;
    if (!problem) return;
    place.replaceChildren(problem.text);
    if (problem.command) {
      place.append(' To mend it, run there: ', make('code', { textContent: problem.command }), ' Then load this page again.');
    }
  } catch {
    // Why the server does not answer is said elsewhere.
  }
}
