// Back, and again: what can be done about prompts that were sent, and about those that wait.
import { address, announce, at, call, make, may, Refused, said } from './common.js';

const UUID = /^e-([0-9a-f-]{36})\./;
const lines = (count) => `${count} ${count === 1 ? 'line' : 'lines'}`;

/**
 * Puts a menu on each prompt of the session, and shows those that wait. `state` gives the newest state, `act` does what
 * may fail, and says so, `files` puts others in the place of the attached files, and gives these.
 */
export function back({ id, state: newest, act, files }) {
  const api = `/api/sessions/${encodeURIComponent(id)}`;
  const log = at('log');
  const field = at('prompt');
  const uuidOf = (section) => UUID.exec(section.id)?.[1];

  /** Begins another session, as this one is set. */
  async function fork(where) {
    const { mode, model, effort } = newest() ?? {};
    const as = { ...(mode && may('openSession.mode') && { mode }), ...(model && { model }), ...(effort && { effort }) };
    return (await call('POST', '/api/sessions', { fork: { session: id, ...where }, ...as })).id;
  }
  const go = (session) => { location.href = address(`/s/${encodeURIComponent(session)}`); };

  // A prompt that is written anew.

  const KEY = `claw.editing.${id}`;
  const note = make('p', { className: 'note editing', hidden: true, role: 'status' }, make('span'),
    make('button', { type: 'button', textContent: 'Do not edit', onclick: () => edits(null) }));
  at('hint').before(note);
  let editing = null; // The prompt, the copy that was begun for it, and what was in the field before.
  let kept = []; // The files that were attached before.

  /** The files of a prompt, and what is to be said of those that cannot be sent again. */
  const filesOf = ({ images, documents }) => [...images, ...documents];
  const missing = ({ images, documents, attachments }, what) => {
    const lost = attachments - images.length - documents.length;
    if (!lost) return '';
    return lost === 1 ? ` A file of the prompt is not ${what}.` : ` ${lost} files of the prompt are not ${what}.`;
  };

  function write(text) {
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function tells(prompt) {
    note.firstElementChild.textContent = 'You edit an earlier prompt. Sending it begins a copy of the conversation that ends before it.'
      + (prompt ? missing(prompt, 'taken along') : '');
  }

  /** Edits a prompt, or none: then what was in the field before is there again. */
  function edits(uuid, given) {
    const wasEditing = editing != null;
    const prompt = uuid && { uuid, draft: wasEditing ? editing.draft : field.value };
    const text = prompt ? given.text : editing?.draft ?? '';
    const attached = files(prompt ? filesOf(given) : kept);
    if (!wasEditing) kept = attached;
    if (!prompt) kept = [];
    if (prompt) tells(given);
    editing = prompt;
    if (prompt) sessionStorage.setItem(KEY, JSON.stringify(prompt)); else sessionStorage.removeItem(KEY);
    note.hidden = !prompt;
    write(text);
    field.focus();
  }
  try { editing = JSON.parse(sessionStorage.getItem(KEY)); } catch { /* Of another version. */ }
  note.hidden = !editing;

  /** After a reload, the field has its text again, and the files come from the server. */
  async function resume() {
    if (!editing) return;
    tells(null);
    const mine = editing;
    // It is not sent without them.
    at('send').disabled = true;
    try {
      const prompt = await call('GET', `${api}/prompts/${mine.uuid}`);
      if (editing !== mine) return;
      kept = files(filesOf(prompt));
      tells(prompt);
    } finally {
      at('send').disabled = false;
    }
  }

  /** Sends a prompt that was edited. `null` if none is being edited. */
  function send(prompt) {
    if (!editing) return null;
    const { uuid } = editing;
    const mine = editing;
    delete prompt.priority;
    return (async () => {
      // Tried again, it goes to the same copy.
      mine.copy ??= await fork({ before: uuid });
      await call('POST', `/api/sessions/${encodeURIComponent(mine.copy)}/prompts`, prompt);
      setTimeout(() => { edits(null); go(mine.copy); });
    })();
  }

  // The menu of a prompt.

  let menu = null;

  function close(hasFocus) {
    if (!menu) return;
    const button = menu.previousElementSibling;
    menu.remove();
    menu = null;
    button.ariaExpanded = 'false';
    if (hasFocus) button.focus();
  }

  const items = {
    ...(may('openSession') && {
      'Fork from here': (uuid) => act(async () => go(await fork({ through: uuid }))),
      'Edit and resend': (uuid) => act(async () => edits(uuid, await call('GET', `${api}/prompts/${uuid}`))),
    }),
    ...(may('rewindFiles') && { 'Restore files…': (uuid) => restore(uuid) }),
  };

  function open(button) {
    close(false);
    const uuid = uuidOf(button.closest('section'));
    menu = make('div', { className: 'menu', role: 'menu', ariaLabel: 'This prompt' }, ...Object.entries(items).map(([name, act]) =>
      make('button', { type: 'button', role: 'menuitem', tabIndex: -1, textContent: name, onclick: () => { close(true); act(uuid); } })));
    button.after(menu);
    button.ariaExpanded = 'true';
    menu.firstElementChild.focus({ preventScroll: true });
    menu.scrollIntoView({ block: 'nearest' });
  }

  log.addEventListener('click', (event) => {
    const button = event.target.closest('.about');
    if (button) { if (menu?.previousElementSibling === button) close(true); else open(button); }
  });
  log.addEventListener('keydown', (event) => {
    if (!menu) return;
    const all = [...menu.children];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const ends = { Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Escape') close(true);
    else if (step) all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    else if (ends !== undefined) all[ends].focus();
    else if (event.key === 'Tab') { close(true); return; } else return;
    // It means the menu, and not the turn.
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (menu && !menu.contains(target) && target !== menu.previousElementSibling) close(false);
  });

  /** Puts a button on each prompt of a place, before somebody measures how high it is. */
  function mark(place) {
    const prompts = 'section.userInput:not(.sub)';
    const all = place.matches(prompts) ? [place] : place.querySelectorAll(prompts);
    for (const prompt of all) {
      if (newest()?.waitingPrompts?.includes(uuidOf(prompt))) prompt.classList.add('waits');
      if (!uuidOf(prompt) || !Object.keys(items).length || prompt.querySelector('.about')) continue;
      prompt.append(make('button', { type: 'button', className: 'about', textContent: '⋯', ariaLabel: 'About this prompt', ariaHasPopup: 'menu', ariaExpanded: 'false' }));
    }
    if (menu && !menu.isConnected) menu = null;
  }

  // Files as they were.

  const title = make('h2', { id: 'restore-title', textContent: 'Restore files' });
  const body = make('div', { className: 'body' });
  const answers = make('div', { className: 'answers' });
  const dialog = make('dialog', { className: 'restore' }, title, body, answers);
  dialog.setAttribute('aria-labelledby', 'restore-title');
  document.body.append(dialog);
  const leave = (text) => make('button', { type: 'button', textContent: text, onclick: () => dialog.close() });
  let opened = 0; // What is heard of an earlier dialog does not count.

  function tell(text, ...buttons) {
    body.replaceChildren(make('p', { textContent: text, role: 'status' }));
    answers.replaceChildren(...buttons);
    buttons[0]?.focus();
  }

  function preview(uuid, { reason, changes }, before = '') {
    if (reason) return tell(`The files cannot be restored: ${reason}`, leave('Close'));
    if (!changes.files.length) return tell('No file that Claude has edited has changed since this prompt.', leave('Close'));
    body.replaceChildren(...(before ? [make('p', { className: 'note bad', textContent: before })] : []),
      make('p', { textContent: `${changes.files.length === 1 ? 'This file gets' : `These ${changes.files.length} files get`} the contents from before the prompt. ${lines(changes.insertions)} inserted, ${lines(changes.deletions)} deleted. What Claude has not edited stays, and so does the conversation.` }),
      make('ul', { tabIndex: 0, ariaLabel: 'Files' }, ...changes.files.map((name) => make('li', { textContent: name }))));
    const restoring = make('button', {
      type: 'button', className: 'strong', textContent: `Restore ${changes.files.length === 1 ? 'this file' : `these ${changes.files.length} files`}`,
      // The second click of a double click has not read this.
      onclick: (event) => { if (event.detail < 2) ask(uuid, changes); },
    });
    answers.replaceChildren(leave('Cancel'), restoring);
    answers.firstElementChild.focus();
  }

  async function ask(uuid, expect) {
    const mine = ++opened;
    const isOpen = () => dialog.open && mine === opened;
    tell(expect ? 'Restoring…' : 'Looking at the files…', leave('Close'));
    try {
      const answer = await call('POST', `${api}/rewind`, { prompt: uuid, ...(expect && { expect }) });
      if (!isOpen()) return;
      if (answer.done) restored(); else preview(uuid, answer);
    } catch (error) {
      if (!isOpen()) return;
      if (!(error instanceof Refused && error.kind === 'changed')) { tell(said(error), leave('Close')); return; }
      try {
        preview(uuid, await call('POST', `${api}/rewind`, { prompt: uuid }), said(error));
      } catch (again) {
        tell(said(again), leave('Close'));
      }
    }
  }

  const outcome = make('p', { className: 'note', role: 'status', hidden: true });
  note.before(outcome);

  /** Says so without a dialog that has to be closed, for a while. */
  function restored() {
    dialog.close();
    outcome.textContent = 'The files are restored.';
    outcome.hidden = false;
    setTimeout(() => { outcome.hidden = true; }, 10_000);
  }

  function restore(uuid) {
    dialog.showModal();
    ask(uuid);
  }

  // Prompts that wait.

  const queue = make('ul', { className: 'waiting', ariaLabel: 'Prompts that wait', hidden: true });
  note.before(queue);

  /** Takes a prompt back. `then` gets it. */
  const takeBack = (uuid, then) => act(async () => {
    const prompt = await call('GET', `${api}/prompts/${uuid}`);
    await call('POST', `${api}/prompts/${uuid}/cancel`);
    announce(`The prompt is taken back.${then ? missing(prompt, 'brought back') : ''}`);
    then?.(prompt);
  });

  /** Puts what is in a prompt before what is in the field. */
  function bring(prompt) {
    write(field.value ? `${prompt.text}\n\n${field.value}` : prompt.text);
    files([...filesOf(prompt), ...files([])]);
    field.focus();
  }

  /** A prompt that waits is in the list above the field alone. */
  function hideWaiting(waiting) {
    for (const it of log.querySelectorAll(':scope > .userInput')) it.classList.toggle('waits', waiting.includes(uuidOf(it)));
  }

  function state({ waitingPrompts = [] }) {
    hideWaiting(waitingPrompts);
    const shown = [...queue.children].map((it) => it.dataset.prompt);
    if (JSON.stringify(shown) === JSON.stringify(waitingPrompts)) return;
    const old = new Map([...queue.children].map((it) => [it.dataset.prompt, it]));
    queue.replaceChildren(...waitingPrompts.map((uuid) => {
      if (old.has(uuid)) return old.get(uuid);
      const section = document.querySelector(`#log > [id^="e-${CSS.escape(uuid)}."].userInput`);
      const text = section?.querySelector('.text')?.textContent.trim() ?? '';
      const it = make('li', {}, make('span', { textContent: text ? text.slice(0, 200) : 'A prompt' }),
        ...(!may('cancelPrompt') ? [] : [make('button', { type: 'button', textContent: 'Edit', onclick: () => takeBack(uuid, bring) }),
          make('button', { type: 'button', textContent: 'Take back', onclick: () => takeBack(uuid) })]));
      it.dataset.prompt = uuid;
      return it;
    }));
    queue.hidden = !waitingPrompts.length;
  }

  return { send, resume, state, mark, isEditing: () => editing != null };
}
