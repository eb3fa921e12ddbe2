// Comments on lines of diffs: they are collected in this browser, and sent as one prompt. The page of the changes and the cards of
// the conversation have the same ones.
import { address, announce, at, call, isComposing, make, said, uuid } from './common.js';
import { LONGEST_COMMENT, MOST_COMMENTS, MOST_LINES, oneLine, placeOf, promptOf } from './comment_prompt.js';

/** How long a finger rests on a line that begins or ends a range, in milliseconds. */
const HOLD = 500;
const NUMBER = '.diff > div > b[role]';

const finger = matchMedia('(pointer: coarse)');
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const counted = (count) => (count === 1 ? '1 comment' : `${count} comments`);
const rowsOf = (section) => [...section.querySelectorAll('.diff > div')];
const isShown = (row) => row.checkVisibility();

/** What a row of a diff shows. */
function lineOf(row) {
  const part = (name) => row.querySelector(`:scope > ${name}`)?.textContent ?? '';
  const number = Number.parseInt(part('b'), 10);
  return { sign: part('i'), number: Number.isNaN(number) ? null : number, text: oneLine(part('span')) };
}

/**
 * The rows that show these lines, of which the numbers may not be known. `null` if the file has changed since. Equal lines without
 * numbers are told apart by the position of the first row.
 */
function rowsWith(section, lines, position = -1) {
  const rows = rowsOf(section);
  const shows = (row, line) => {
    const it = row && lineOf(row);
    const isThere = it && (it.number === line.number || it.number === null || line.number === null);
    return isThere && it.sign === line.sign && it.text === line.text;
  };
  const isStart = (n) => lines.every((line, m) => shows(rows[n + m], line));
  const start = isStart(position) ? position : rows.findIndex((_, n) => isStart(n));
  return start < 0 ? null : rows.slice(start, start + lines.length);
}

/** What this browser has kept under a key: the comments, and the prompt that was sent and not answered. */
function keptAs(key) {
  const isLine = (it) => typeof it?.text === 'string' && typeof it.sign === 'string' && (it.number === null || Number.isInteger(it.number));
  const isComment = (it) => [it?.id, it?.path, it?.text].every((text) => typeof text === 'string')
    && ['string', 'undefined'].includes(typeof it.card) && Array.isArray(it.lines) && it.lines.length > 0 && it.lines.every(isLine);
  try {
    const { list, pending } = JSON.parse(localStorage.getItem(key));
    return { list: list.filter(isComment).slice(0, MOST_COMMENTS), pending: pending ?? null };
  } catch {
    return { list: [], pending: null };
  }
}

/** The element with the diff of a file, which its attribute names. */
const DIFF = '[data-file]';

/**
 * Comments on the diffs of a session. `sectionOf` finds the section of the page for a comment, `sections` are those that count their
 * comments, `cardOf` names the card of a section, `main` has the sections, `bar` gets the buttons, `foot` is what covers the bottom of
 * the screen, `lost` gets the comments on lines that are not shown, `go` is a link to the session, `sent` is called after they were
 * sent. Returns what is called when the lines of a section are shown.
 */
export function comments(session, { sectionOf, sections = [], cardOf = () => undefined, main, bar, foot = bar, lost, go, sent: after }) {
  const key = `claw.comments.${session}`;
  let { list, pending } = keptAs(key);
  let open = null; // The comment whose field is open.
  let chosen = []; // The rows that are marked: those of the open comment, or of one to come.
  let anchor = null; // The row at which a range begins.
  let position = -1; // The position of the open comment's first row in its section.
  let waits = false; // Whether the next tap ends a range.
  let removed = null; // What was removed last.
  let isSending = false;
  let isKept = true; // Whether the browser keeps them.
  const places = new Map(); // The elements of the comments that are shown, by ID.
  const shown = new WeakSet(); // The sections whose lines are shown.

  const note = make('p', { className: 'told' });
  const send = make('button', { type: 'button', className: 'strong', onclick: submit });
  const undo = make('button', { type: 'button', textContent: 'Undo', onclick: restore });
  bar.append(note, undo, go, send);

  // What is kept, and what is shown of all comments.

  /** Shows how many comments there are, and what has happened to them. */
  function count(told = '', isBad = false) {
    if (!told && list.length && !isKept) { count('This browser keeps no comments: a reload loses them.', true); return; }
    note.textContent = told;
    note.classList.toggle('bad', isBad);
    note.hidden = !told;
    undo.hidden = !removed;
    go.hidden = after ? list.every(sectionOf) : list.length > 0 || removed != null || !told;
    send.hidden = list.length === 0;
    send.disabled = isSending;
    send.textContent = `Send ${counted(list.length)}`;
    bar.hidden = !list.length && !told;
    for (const section of sections) {
      const own = list.filter((it) => sectionOf(it) === section).length;
      let badge = section.querySelector('summary .noted');
      if (own && !badge) section.querySelector('summary .size').prepend(badge = make('span', { className: 'noted' }));
      if (own) badge.textContent = counted(own); else badge?.remove();
    }
    if (lost) lost.hidden = lost.childElementCount < 2;
  }

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify({ list, pending }));
      if (!list.length) localStorage.removeItem(key);
      isKept = true;
    } catch {
      isKept = false;
    }
  }

  /** Puts a comment below its last line. */
  function put(comment, element = noteOf(comment), known = null) {
    const section = sectionOf(comment);
    if (places.get(comment.id) !== element) places.get(comment.id)?.remove();
    places.delete(comment.id);
    if (section ? !shown.has(section) : !lost) return;
    const rows = known ?? (section && rowsWith(section, comment.lines));
    if (rows) rows.at(-1).after(element); else if (lost) lost.append(element); else section.append(element);
    element.classList.toggle('lost', !rows);
    places.set(comment.id, element);
  }

  function drop(comment) {
    places.get(comment.id)?.remove();
    places.delete(comment.id);
    list = list.filter((it) => it !== comment);
    keep();
  }

  function noteOf(comment) {
    const place = placeOf(comment.lines);
    const label = `${place} of ${oneLine(comment.path)}`;
    const button = (text, onclick) => make('button', { type: 'button', textContent: text, ariaLabel: `${text} the comment on ${label}`, onclick });
    const quote = comment.lines.map(({ sign, text }) => sign + text).join('\n');
    return make('article', { className: 'comment', ariaLabel: `Comment on ${label}` },
      make('p', { className: 'which' },
        make('span', { className: 'of', textContent: `${oneLine(comment.path)}, ` }), make('span', { textContent: capital(place) })),
      make('pre', { className: 'quote', textContent: quote, tabIndex: 0 }),
      make('p', { className: 'text', dir: 'auto', textContent: comment.text }),
      make('div', { className: 'buttons' }, button('Edit', () => edit(comment)), button('Remove', () => remove(comment))));
  }

  function remove(comment) {
    const section = sectionOf(comment);
    const row = section && rowsWith(section, comment.lines)?.at(-1);
    removed = comment.text.trim() ? comment : null;
    if (open === comment) { open = null; mark([]); }
    drop(comment);
    count(removed ? 'The comment is removed.' : '');
    announce('The comment is removed.');
    (row?.querySelector('b') ?? send).focus({ preventScroll: true });
  }

  function restore() {
    if (!removed || list.length >= MOST_COMMENTS) return;
    list.push(removed);
    put(removed);
    removed = null;
    keep();
    count();
    send.focus({ preventScroll: true });
  }

  // The field for a comment.

  function mark(rows) {
    for (const it of chosen) it.classList.remove('chosen');
    for (const it of rows) it.classList.add('chosen');
    chosen = rows;
  }

  /** Closes the field. What was written is kept. */
  function close() {
    const comment = open;
    open = null;
    anchor = null;
    waits = false;
    mark([]);
    if (!comment) return;
    if (comment.text.trim()) put(comment); else drop(comment);
    count();
  }

  /** Closes the field, and goes back to its line. */
  function done() {
    const row = chosen.at(-1);
    const isKept = open.text.trim();
    close();
    if (isKept) announce(`${counted(list.length)} to send`);
    (row?.querySelector('b') ?? send).focus({ preventScroll: true });
  }

  /** The field of a comment. */
  function fieldOf(comment) {
    const field = make('textarea', {
      name: 'text', value: comment.text, rows: 2, maxLength: LONGEST_COMMENT, dir: 'auto', placeholder: 'Comment',
      enterKeyHint: finger.matches ? 'enter' : 'done',
    });
    const step = (edge, by, text, label) => {
      const it = make('button', { type: 'button', className: 'step', textContent: text, ariaLabel: label, onclick: () => move(edge, by) });
      Object.assign(it.dataset, { edge, by });
      return it;
    };
    const form = make('form', { className: 'comment' },
      make('div', { className: 'range' },
        make('p', { className: 'which' }),
        make('span', { className: 'ends' }, 'Start', step('start', -1, '↑', 'Start one line earlier'), step('start', 1, '↓', 'Start one line later')),
        make('span', { className: 'ends' }, 'End', step('end', -1, '↑', 'End one line earlier'), step('end', 1, '↓', 'End one line later'))),
      field,
      make('div', { className: 'buttons' },
        make('button', { className: 'done', textContent: 'Done' }),
        make('button', { type: 'button', textContent: 'Remove', onclick: () => remove(comment) })));
    field.addEventListener('input', () => {
      comment.text = field.value;
      if (comment.text.trim() && !list.includes(comment)) list.push(comment);
      removed = null;
      keep();
      count();
    });
    form.addEventListener('keydown', (event) => {
      if (isComposing(event)) return;
      const sends = event.key === 'Enter' && event.target === field && (event.ctrlKey || event.metaKey || !(event.shiftKey || finger.matches));
      if (event.key !== 'Escape' && !sends) return;
      event.preventDefault();
      done();
    });
    form.addEventListener('submit', (event) => { event.preventDefault(); done(); });
    return form;
  }

  /** Shows to which lines the open comment refers. */
  function label(form, rows) {
    const place = placeOf(open.lines);
    form.querySelector('.which').textContent = capital(place);
    form.elements.text.ariaLabel = `Comment on ${place} of ${oneLine(open.path)}`;
    const all = rows.length ? rowsOf(sectionOf(open)).filter(isShown) : [];
    const [first, last] = [all.indexOf(rows[0]), all.indexOf(rows.at(-1))];
    const can = {
      start: { '-1': first > 0 && rows.length < MOST_LINES, 1: first < last },
      end: { '-1': first < last, 1: first >= 0 && last < all.length - 1 && rows.length < MOST_LINES },
    };
    for (const it of form.querySelectorAll('.step')) it.disabled = !can[it.dataset.edge][it.dataset.by];
  }

  /** Opens the field of a comment on these rows. Without rows, its lines are not shown any more. */
  function edit(comment, rows = (sectionOf(comment) && rowsWith(sectionOf(comment), comment.lines)) ?? []) {
    if (open !== comment) close();
    open = comment;
    anchor = rows[0] ?? null;
    position = anchor ? rowsOf(sectionOf(comment)).indexOf(anchor) : -1;
    const form = fieldOf(comment);
    put(comment, form, rows.length ? rows : null);
    mark(rows);
    label(form, rows);
    form.elements.text.focus({ preventScroll: !finger.matches });
    const { bottom } = form.getBoundingClientRect();
    if (bottom > innerHeight - foot.offsetHeight) form.scrollIntoView({ block: 'nearest' });
  }

  /** Has the open comment refer to other rows. `pressed` stays where it is on the screen. */
  function refer(rows, pressed) {
    const form = places.get(open.id);
    const before = pressed.getBoundingClientRect().top;
    const had = document.activeElement;
    open.lines = rows.map(lineOf);
    position = rowsOf(sectionOf(open)).indexOf(rows[0]);
    anchor = rows[0];
    // It loses the focus when it moves.
    rows.at(-1).after(form);
    mark(rows);
    label(form, rows);
    (form.contains(had) && !had.disabled ? had : form.elements.text).focus({ preventScroll: true });
    scrollBy({ top: pressed.getBoundingClientRect().top - before, behavior: 'instant' });
    if (list.includes(open)) keep();
    announce(capital(placeOf(open.lines)));
  }

  /** Moves an end of the open comment by one line. */
  function move(edge, by) {
    const all = rowsOf(sectionOf(open)).filter(isShown);
    const [first, last] = [all.indexOf(chosen[0]), all.indexOf(chosen.at(-1))];
    const [start, end] = edge === 'start' ? [first + by, last] : [first, last + by];
    refer(all.slice(start, end + 1), places.get(open.id).querySelector('.range'));
  }

  /** The rows between two, with both. At most as many as a comment refers to. */
  function between(one, other) {
    const rows = rowsOf(one.closest(DIFF)).filter(isShown);
    const [a, b] = [rows.indexOf(one), rows.indexOf(other)];
    const all = rows.slice(Math.min(a, b), Math.max(a, b) + 1);
    if (all.length <= MOST_LINES) return all;
    announce(`A comment refers to ${MOST_LINES} lines at most.`);
    return a < b ? all.slice(0, MOST_LINES) : all.slice(-MOST_LINES);
  }

  /** A person has chosen rows: opens a field for them. */
  function comment(rows) {
    waits = false;
    const lines = rows.map(lineOf);
    const section = rows[0].closest(DIFF);
    const path = section.dataset.file;
    const card = cardOf(section);
    const same = (it) => it.path === path && it.card === card && JSON.stringify(it.lines) === JSON.stringify(lines);
    const known = list.find(same);
    if (!known) close();
    if (!known && list.length >= MOST_COMMENTS) {
      count(`There are ${MOST_COMMENTS} comments. Send them before you write more.`, true);
      announce(note.textContent);
      return;
    }
    edit(known ?? { id: uuid(), path, card, lines, text: '' }, rows);
  }

  /** A person has chosen a row. If `isRange`, it is the other end of what was chosen before. */
  function choose(row, isRange) {
    const from = anchor?.isConnected && anchor.closest(DIFF) === row.closest(DIFF) ? anchor : null;
    if (!isRange || !from) comment([row]);
    else if (open) refer(between(from, row), row);
    else comment(between(from, row));
  }

  // By hand: a tap, and a long press for a range.

  const rowAt = ({ target }) => target.closest?.(NUMBER)?.parentElement;
  let timer = 0;
  let held = null; // The row on which a finger has rested.
  let pointer = '';
  main.addEventListener('pointerdown', (event) => {
    const row = rowAt(event);
    pointer = event.pointerType;
    held = null;
    clearTimeout(timer);
    if (!row || pointer === 'mouse') return;
    timer = setTimeout(() => {
      held = row;
      if (open || waits) { choose(row, true); return; }
      anchor = row;
      waits = true;
      mark([row]);
      announce('Tap the last line');
    }, HOLD);
  });
  for (const name of ['pointerup', 'pointercancel']) main.addEventListener(name, () => clearTimeout(timer));
  main.addEventListener('contextmenu', (event) => { if (rowAt(event) && pointer !== 'mouse') event.preventDefault(); });
  main.addEventListener('click', (event) => {
    const row = rowAt(event);
    if (!row || held === row) return;
    choose(row, event.shiftKey || waits);
  });

  // By keys: the arrows go from line to line.

  main.addEventListener('focusin', (event) => {
    const row = rowAt(event);
    if (!row) return;
    for (const it of row.parentElement.querySelectorAll(':scope > div > b[tabindex="0"]')) it.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  main.addEventListener('keydown', (event) => {
    const row = rowAt(event);
    if (!row || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const isChosen = row.classList.contains('chosen') && !open;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step) {
      const rows = rowsOf(row.closest(DIFF)).filter(isShown);
      const next = rows[rows.indexOf(row) + step];
      if (next) {
        if (event.shiftKey && !open) {
          if (!isChosen) anchor = row;
          mark(between(anchor, next));
          announce(capital(placeOf(chosen.map(lineOf))));
        } else if (!open) {
          anchor = null;
          mark([]);
        }
        next.querySelector('b').focus();
      }
    } else if (['Enter', ' '].includes(event.key)) {
      choose(row, event.shiftKey || isChosen);
    } else if (event.key === 'Escape' && isChosen) {
      anchor = null;
      waits = false;
      mark([]);
    } else {
      return;
    }
    event.preventDefault();
  });

  // Sending.

  async function submit() {
    close();
    if (isSending || !list.length) return;
    const sent = list.map(({ id, text }) => ({ id, text }));
    const text = promptOf(list);
    // What failed on its way may have arrived: the same prompt again has the same UUID.
    if (pending?.text !== text) pending = { uuid: uuid(), text };
    removed = null;
    isSending = true;
    keep();
    count();
    let told = [];
    try {
      await call('POST', `/api/sessions/${encodeURIComponent(session)}/prompts`, { uuid: pending.uuid, text });
      pending = null;
      for (const it of [...list]) if (it !== open && sent.some(({ id, text }) => it.id === id && it.text === text)) drop(it);
      told = [sent.length === 1 ? 'The comment is sent.' : `${sent.length} comments are sent.`];
    } catch (error) {
      told = [`Not sent. ${said(error)}`, true];
    }
    isSending = false;
    keep();
    announce(told[0]);
    // What was sent is seen in the conversation.
    count(...(after && !told[1] ? [] : told));
    if (list.length) return;
    if (after) after(); else go.focus({ preventScroll: true });
  }

  /** Puts the numbers of lines in reach, and the comments below their lines. */
  function equip(section) {
    for (const diff of section.querySelectorAll('.diff:not([data-lines])')) {
      diff.dataset.lines = '';
      for (const [n, row] of [...diff.children].entries()) {
        const number = row.querySelector(':scope > b') ?? make('b', { textContent: '·' });
        if (!number.parentElement) row.prepend(number);
        number.setAttribute('role', 'button');
        number.tabIndex = n ? -1 : 0;
        const line = lineOf(row);
        number.ariaLabel = `Comment on ${placeOf([line])}${line.number === null ? `: ${line.text}` : ''}`;
      }
    }
    if (shown.has(section)) return;
    shown.add(section);
    for (const it of list) if (it !== open && sectionOf(it) === section) put(it);
    if (open && sectionOf(open) === section) moveTo(section);
    count(note.textContent, note.classList.contains('bad'));
  }

  /** The section of the open comment was drawn anew: its field moves there, as it is. */
  function moveTo(section) {
    const form = places.get(open.id);
    const rows = rowsWith(section, open.lines, position) ?? [];
    // The numbers may be known now.
    if (rows.length) open.lines = rows.map(lineOf);
    put(open, form, rows.length ? rows : null);
    anchor = rows[0] ?? null;
    mark(rows);
    label(form, rows);
    if (document.activeElement === document.body) form.elements.text.focus({ preventScroll: true });
  }

  // Another tab has changed them.
  addEventListener('storage', (event) => {
    if (event.key !== key) return;
    ({ list, pending } = keptAs(key));
    if (open) list = [...list.filter((it) => it.id !== open.id), ...(open.text.trim() ? [open] : [])];
    for (const [id, element] of places) if (id !== open?.id) { element.remove(); places.delete(id); }
    for (const it of list) if (it !== open) put(it);
    count();
  });

  for (const it of list) if (!sectionOf(it)) put(it);
  count();
  return equip;
}
