// The page of the usage, which also says how many sessions ask.
import { activity, listen } from './activity.js';
import { at, keyed, make } from './common.js';
import { showWhole } from './limits.js';

/** Saves what a link leads to: the browser itself would ask for it without the key. */
async function save(link) {
  const answer = await fetch(link.href, { headers: keyed });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const url = URL.createObjectURL(await answer.blob());
  make('a', { href: url, download: 'usage.csv' }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
for (const link of document.querySelectorAll('a[download]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    save(link).catch(() => { at('seen').textContent = 'The table cannot be read now.'; });
  });
}

showWhole().catch(() => { at('seen').textContent = 'The limits cannot be read now.'; });
listen({ activity });
