// Finds a text in the whole conversation, also in what is not in the document.
import { at, call, isComposing, said } from './common.js';

/** How long somebody may pause while he writes what he looks for, in milliseconds. */
const PAUSE = 250;

/** The places of a text in an element, as ranges. It may be divided, as by bold letters. */
function rangesOf(section, text) {
  const nodes = document.createTreeWalker(section, NodeFilter.SHOW_TEXT, (node) => (
    node.parentElement.closest('.copy, .mark') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  const starts = [];
  let all = '';
  while (nodes.nextNode()) {
    starts.push([all.length, nodes.currentNode]);
    all += nodes.currentNode.data;
  }
  const low = all.toLowerCase();
  const searched = low.length === all.length ? low : all;
  const point = (at) => {
    const [start, node] = starts.findLast(([start]) => start <= at);
    return [node, at - start];
  };
  const ranges = [];
  for (let at = searched.indexOf(text); at >= 0 && ranges.length < 500; at = searched.indexOf(text, at + text.length)) {
    const range = document.createRange();
    range.setStart(...point(at));
    const [node, offset] = point(at + text.length - 1);
    range.setEnd(node, offset + 1);
    ranges.push(range);
  }
  return ranges;
}

/** Unfolds what a range is in. */
function unfold(range) {
  const element = range.startContainer.parentElement;
  const paste = element.closest('.text')?.nextElementSibling;
  if (paste?.matches('.paste')) paste.open = true;
  for (let it = element.closest('details:not([open])'); it; it = it.closest('details:not([open])')) it.open = true;
}

/** The field above the conversation. `part` is what of the conversation is in the document. */
export function finder(part, path) {
  const form = at('finder');
  const field = form.elements.text;
  const count = form.querySelector('output');
  const steps = form.querySelectorAll('button[data-step]');
  let found = null; // What was found: the text, the elements that have it, and which of them is shown.
  let origin = null; // Where the reader was.
  let start = null; // The element that the reader saw when he began to write, or to which he went on purpose.
  let asked = 0;
  let timer = 0;

  // Screen readers say by themselves what an `output` has become.
  const tell = (text) => { count.textContent = text; };

  /** Marks the text in the element that is shown, and brings it into view if that is wanted. */
  function mark(isShown) {
    CSS.highlights?.delete('found');
    document.querySelectorAll('.found').forEach((it) => it.classList.remove('found'));
    const section = found?.hits.length ? at(found.hits[found.current]) : null;
    if (!section) return;
    section.classList.add('found');
    const ranges = rangesOf(section, found.text);
    const isOpen = (range) => !range.startContainer.parentElement.closest('details:not([open])');
    const first = ranges.find(isOpen) ?? ranges[0];
    if (ranges.length && window.Highlight) CSS.highlights?.set('found', new Highlight(...ranges));
    if (!isShown) return;
    if (first) unfold(first);
    const { top, height } = (first ?? section).getBoundingClientRect();
    const above = document.querySelector('.top').offsetHeight;
    const below = at('composer').getBoundingClientRect().top;
    const isSeen = top >= above && top + Math.min(height, 40) <= below;
    if (!isSeen) scrollBy({ top: top - (above + (below - above) / 3), behavior: 'instant' });
  }

  /** Goes to an element that has the text. */
  async function go(current) {
    const mine = found;
    mine.current = current;
    const number = mine.total - mine.hits.length + current + 1;
    tell(`${number.toLocaleString('en')} of ${mine.total.toLocaleString('en')}`);
    const section = await part.show(mine.hits[current]);
    if (mine !== found || mine.current !== current || form.hidden) return;
    if (section) mark(true); else tell('It cannot be shown now');
  }

  function forget() {
    clearTimeout(timer);
    asked += 1;
    found = null;
    mark(false);
    steps.forEach((it) => { it.disabled = true; });
  }

  async function search() {
    const text = field.value.trim();
    forget();
    if (!text) { tell(''); return; }
    const mine = asked;
    try {
      const query = new URLSearchParams({ q: text, ...(start && { from: start }) });
      const { total, hits, nearest } = await call('GET', `${path}/find?${query}`);
      if (mine !== asked) return;
      found = { text: text.toLowerCase(), total, hits, current: nearest };
    } catch (error) {
      if (mine === asked) tell(said(error));
      return;
    }
    steps.forEach((it) => { it.disabled = found.hits.length === 0; });
    if (found.hits.length) await go(found.current); else tell('Not found');
  }

  /** Goes to the element before, or after it. Behind the last one comes the first. */
  function step(by) {
    if (!found || found.text !== field.value.trim().toLowerCase()) { search(); return; }
    const { length } = found.hits;
    if (!length) return;
    const next = (found.current + by + length) % length;
    start = found.hits[next];
    go(next);
  }

  function open() {
    if (form.hidden) {
      origin = part.place();
      start = part.eye()?.id;
    }
    form.hidden = false;
    field.focus({ preventScroll: true });
    field.select();
  }

  /** Closes it. The reader stays, or comes back to where he was. */
  function close(isBack) {
    form.hidden = true;
    forget();
    count.textContent = '';
    at('find').focus({ preventScroll: true });
    if (isBack) part.bring(origin);
  }

  at('find').addEventListener('click', open);
  form.addEventListener('submit', (event) => event.preventDefault());
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || isComposing(event)) return;
    event.preventDefault();
    step(event.shiftKey ? 1 : -1);
  });
  steps.forEach((it) => it.addEventListener('click', () => step(Number(it.dataset.step))));
  at('unfind').addEventListener('click', () => close(false));
  addEventListener('keydown', (event) => {
    if (event.key?.toLowerCase() === 'f' && event.shiftKey && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      open();
    }
    // Before it stops a turn. What is asked keeps its keys.
    if (event.key !== 'Escape' || form.hidden || isComposing(event) || at('requests').contains(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    close(true);
  }, true);

  /** Elements have changed: marks the text in them again. */
  return { changed: () => { if (!form.hidden && found) mark(false); } };
}
