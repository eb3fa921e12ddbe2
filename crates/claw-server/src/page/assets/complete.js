// Completion in the prompt: `/` at its beginning offers commands and skills, `@` the files of the project.
import { announce, at, isComposing, make } from './common.js';

const PAUSE = 120; // Milliseconds without a key before files are asked for.
const MOST = 30;

/** What is being written before the cursor: a command, a file, or nothing of both. */
function wordOf({ value, selectionStart, selectionEnd }) {
  if (selectionStart !== selectionEnd) return null;
  const before = value.slice(Math.max(0, selectionStart - 300), selectionStart);
  const after = value.slice(selectionStart, selectionStart + 300);
  const word = (kind, text, sign, rest) => ({
    kind, text, start: selectionStart - text.length - sign, end: selectionStart + rest.exec(after)[0].length,
  });
  const command = /^\/(\S*)$/.exec(before);
  if (command && selectionStart <= 300) return word('/', command[1], 1, /^\S*/);
  const quoted = /(?:^|\s)@"([^"\n]*)$/.exec(before);
  if (quoted) return word('@', quoted[1], 2, /^[^"\n]*"?/);
  const file = /(?:^|\s)@([^\s"@]*)$/.exec(before);
  return file ? word('@', file[1], 1, /^[^\s"@]*/) : null;
}

/** A file as the CLI reads it in a prompt. Empty if it would read another one, as `mention` in claw-client says. */
function mention(path) {
  if (/^[\w./-]*[\w/]$/.test(path) && !path.startsWith('agent-')) return `@${path}`;
  const isOther = !path || /^~|["#\p{Cc}]|[\s。、？！]@|^\s|\s$| \(agent\)$/u.test(path);
  return isOther ? '' : `@"${path}"`;
}

/** Whether the letters of a text are in a name, in their order. */
function hasInOrder(name, text) {
  let from = 0;
  return [...text.toLowerCase()].every((letter) => {
    from = name.toLowerCase().indexOf(letter, from) + 1;
    return from > 0;
  });
}

/** The commands that match, the best first. */
function matching(commands, text) {
  const wanted = text.toLowerCase();
  const rank = ({ name, aliases }) => {
    const names = [name, ...aliases].map((it) => it.toLowerCase());
    if (names.includes(wanted)) return 0;
    if (names[0].startsWith(wanted)) return 1;
    if (names.some((it) => it.startsWith(wanted))) return 2;
    return names.some((it) => it.includes(wanted)) ? 3 : 4;
  };
  const ranked = commands.map((it, n) => ({ it, n, rank: rank(it) })).filter((it) => it.rank < 4);
  return ranked.sort((a, b) => a.rank - b.rank || a.n - b.n).map(({ it }) => it);
}

/** Completes in a field. `commands` gives all commands, `files` those that match a text; both are promises. */
export function completing(field, { commands, files }) {
  const list = at('suggestions');
  const hint = at('hint');
  let word = null; // What is completed.
  let closed = null; // Where Escape has closed the list: it stays closed until another word begins.
  let items = [];
  let active = -1;
  let hasMoved = false;
  let known = []; // The commands that were heard of last.
  let timer = 0;
  let asked = 0; // The number of the newest question. What answers another one comes too late.
  let stop = null;

  const isOpen = () => !list.hidden;

  function close() {
    clearTimeout(timer);
    stop?.abort();
    asked += 1;
    items = [];
    list.hidden = true;
    field.removeAttribute('aria-activedescendant');
  }

  function mark(n) {
    active = n;
    [...list.children].forEach((it, at) => { it.ariaSelected = String(at === n); });
    field.setAttribute('aria-activedescendant', `suggestion-${n}`);
  }

  function show(found) {
    const before = hasMoved ? items[active]?.name : null;
    items = found.slice(0, MOST);
    if (!items.length) {
      list.hidden = true;
      field.removeAttribute('aria-activedescendant');
      return;
    }
    list.replaceChildren(...items.map(({ name, args, about }, n) => make('div', { id: `suggestion-${n}`, role: 'option' },
      make('span', { textContent: name }), ...(args ? [' ', make('i', { textContent: args })] : []),
      ...(about ? [make('small', { textContent: about })] : []))));
    if (list.hidden) announce(`${items.length} suggestions`);
    list.hidden = false;
    list.scrollTop = 0;
    const same = before == null ? -1 : items.findIndex((it) => it.name === before);
    hasMoved = same >= 0;
    mark(Math.max(0, same));
  }

  const showCommands = () => show(matching(known, word.text).map((it) => ({
    name: `/${it.name}`, args: it.argumentHint, about: it.description,
  })));

  async function ask(question, then) {
    const mine = ++asked;
    stop?.abort();
    stop = new AbortController();
    const answer = await question(stop.signal).catch(() => null);
    if (answer && mine === asked && word) then(answer);
  }

  /** The text or the cursor has changed. */
  function update() {
    const before = word;
    word = wordOf(field);
    hinted();
    if (!word) {
      closed = null;
      if (before) close();
      return;
    }
    const isSame = before?.kind === word.kind && before.start === word.start;
    if (!isSame) hasMoved = false;
    if (closed && closed.kind === word.kind && closed.start === word.start) return;
    closed = null;
    if (isSame && before.text === word.text) return;
    if (word.kind === '/') {
      showCommands();
      if (!isSame) ask(commands, (all) => { known = all; showCommands(); hinted(); });
      return;
    }
    // What is shown always matches what is written.
    show(isSame ? items.filter((it) => hasInOrder(it.name, word.text)) : []);
    clearTimeout(timer);
    const { text } = word;
    timer = setTimeout(() => ask((signal) => files(text, signal), ({ files: found, whole }) => {
      // A folder that is written whole is not offered again: what is in it is.
      show(found.filter((name) => (name !== text || !name.endsWith('/')) && mention(name)).map((name) => ({ name: `@${name}`, path: name })));
      if (!found.length && !whole) hinted('There are more files than a search looks at.');
    }), PAUSE);
  }

  /** Says which arguments the command takes that the prompt begins with. */
  function hinted(text = '') {
    const [, name] = /^\/(\S+)\s/.exec(field.value.slice(0, 300)) ?? [];
    const command = name && known.find((it) => it.name === name || it.aliases.includes(name));
    const shown = text || (command?.argumentHint ? `/${name} ${command.argumentHint}` : '');
    if (hint.textContent === shown) return;
    hint.textContent = shown;
    hint.hidden = !shown;
  }

  function take({ name, path }) {
    const { start, end, kind } = word;
    const isFolder = kind === '@' && path.endsWith('/');
    // The quotes of a folder stay open: its files are looked for.
    let text = kind === '@' ? mention(path).replace(/\/"$/, '/') : name;
    // Behind a folder, its files are looked for.
    if (!isFolder && field.value[end] !== ' ') text += ' ';
    close();
    word = null;
    field.focus({ preventScroll: true });
    field.setSelectionRange(start, end);
    // So that it can be undone.
    if (!document.execCommand('insertText', false, text)) {
      field.setRangeText(text, start, end, 'end');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }

  field.addEventListener('input', (event) => { if (!event.isComposing) update(); });
  field.addEventListener('compositionend', update);
  // The cursor was moved.
  field.addEventListener('click', update);
  field.addEventListener('keyup', ({ key }) => { if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key)) update(); });
  const leave = () => { close(); word = null; closed = null; };
  field.addEventListener('blur', leave);
  field.form.addEventListener('submit', leave);
  // Before the field's own keys.
  field.addEventListener('keydown', (event) => {
    if (!isOpen() || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = items[active];
    if (step && !event.shiftKey) {
      hasMoved = true;
      mark((active + step + items.length) % items.length);
      list.children[active].scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Escape') {
      closed = word;
      close();
    } else if (['Enter', 'Tab'].includes(event.key) && !event.shiftKey && item) {
      // What is written whole needs no completion: Enter sends it.
      const isWhole = item.name.slice(1) === word.text && !item.name.endsWith('/');
      if (event.key === 'Enter' && isWhole && !hasMoved) {
        closed = word;
        close();
        return;
      }
      take(item);
    } else {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
  // The field keeps the focus, and a phone its keyboard.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => {
    const n = [...list.children].indexOf(event.target.closest('[role=option]'));
    if (n >= 0 && word) take(items[n]);
  });
}
