// Earlier prompts in the field: Up in an empty field brings the newest one, as in a shell.
import { isComposing } from './common.js';

/** `texts` gives the prompts, the newest first. */
export function earlier(field, texts) {
  let place = -1; // Which of them is in the field.
  let shown = '';
  field.addEventListener('keydown', (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step || event.defaultPrevented || isComposing(event) || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    if (field.value !== shown) [place, shown] = [-1, ''];
    // What somebody has written stays, and in a text of several lines the arrows move about.
    const { selectionStart: start, selectionEnd: end } = field;
    if (field.value !== shown || start !== end || (start !== 0 && start !== shown.length)) return;
    const all = [...new Set(texts())];
    const next = place + step;
    if (next < -1 || next >= all.length) return;
    event.preventDefault();
    place = next;
    shown = all[next] ?? '';
    field.value = shown;
    field.setSelectionRange(shown.length, shown.length);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}
