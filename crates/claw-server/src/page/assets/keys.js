// The list of keys: a question mark outside of fields opens it, and so does a button.
import { at, isComposing } from './common.js';

const list = at('keys');
const open = () => { if (!list.open) list.showModal(); };

at('show-keys').addEventListener('click', open);
at('hide-keys').addEventListener('click', () => list.close());
// A press beside the list closes it.
list.addEventListener('click', ({ target }) => { if (target === list) list.close(); });
addEventListener('keydown', (event) => {
  const isTyped = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (event.key !== '?' || isTyped || isComposing(event) || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  open();
});
