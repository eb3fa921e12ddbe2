// What the keyboard reaches from everywhere: sessions, projects, commands and settings, and the keys that lead elsewhere.
import { nextAsking } from './activity.js';
import { address, announce, at, call, isComposing, make, may, said, titled } from './common.js';

/** How long somebody may pause while he writes what he looks for, in milliseconds. */
const PAUSE = 150;
const MOST = 8;
/** The two sessions that this tab has shown last, the current one first. */
const SHOWN = `claw.shown${address('/')}`;

const go = (path) => { location.href = address(path); };
const pathOf = (id) => `/s/${encodeURIComponent(id)}`;

function shown() {
  try { return JSON.parse(sessionStorage.getItem(SHOWN)) ?? []; } catch { return []; }
}

/** Begins a session in a project. */
export async function begin(project) {
  const { id } = await call('POST', '/api/sessions', { project });
  go(pathOf(id));
}

/**
 * Opens the palette by Ctrl+K, and handles the other keys. `session` is the ID of the session that the page shows.
 * `commands` gives what the page can do: names with functions. `create` begins a session; without it no key does. `failed` says what is wrong.
 */
export function palette({ session = null, commands, create, failed }) {
  const before = shown();
  if (session && before[0] !== session) sessionStorage.setItem(SHOWN, JSON.stringify([session, before[0]].filter(Boolean)));
  const last = () => shown().find((id) => id !== session);

  const field = make('input', { type: 'text', role: 'combobox', maxLength: 200, autocomplete: 'off', placeholder: 'Session, project, command or setting' });
  for (const [name, value] of Object.entries({ label: 'Go to', controls: 'palette-list', expanded: 'true', autocomplete: 'list' })) field.setAttribute(`aria-${name}`, value);
  const list = make('ul', { id: 'palette-list', role: 'listbox', ariaLabel: 'What can be chosen', tabIndex: 0 });
  const dialog = make('dialog', { className: 'palette', ariaLabel: 'Go to' }, field, list);
  document.body.append(dialog);
  let projects = [];
  let timer = 0;
  let asked = 0; // What comes of an earlier text does not count.

  const chosen = () => list.querySelector('[aria-selected=true]');
  function choose(item) {
    chosen()?.setAttribute('aria-selected', 'false');
    item?.setAttribute('aria-selected', 'true');
    item?.scrollIntoView({ block: 'nearest' });
    field.setAttribute('aria-activedescendant', item?.id ?? '');
  }

  /** What the texts in a setting's list are, as commands. */
  const settings = () => [...document.querySelectorAll('#composer select')].flatMap((select) => (select.parentElement.hidden ? [] : [...select.options].map((option) => ({
    name: `${select.previousElementSibling.textContent}: ${option.textContent}`, kind: 'Setting',
    run() { select.value = option.value; select.dispatchEvent(new Event('change')); },
  }))));

  function show(sessions) {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = ({ name }) => words.every((word) => name.toLowerCase().includes(word));
    const all = [
      ...Object.entries(commands()).map(([name, run]) => ({ name, kind: 'Command', run })),
      ...(may('openSession') ? projects : []).map(({ name }) => ({ name: `New session in ${name}`, kind: 'Project', run: () => begin(name) })),
      ...settings(),
    ].filter(has);
    const found = sessions.filter(({ id }) => id !== session).slice(0, MOST)
      .map(({ id, title, forkDepth, project }) => ({ name: titled(title, forkDepth), kind: project, run: () => go(pathOf(id)) }));
    // What is written is the name of what is looked for. Before that, it is mostly a session.
    const entries = words.length ? [...all.slice(0, MOST), ...found] : [...found, ...all];
    list.replaceChildren(...entries.map(({ name, kind, run }, n) => make('li', {
      id: `palette-${n}`, role: 'option', ariaSelected: 'false',
      onclick: () => { dialog.close(); Promise.resolve(run()).catch(failed); },
    }, make('span', { textContent: name }), make('small', { textContent: kind }))));
    if (!entries.length) list.append(make('li', { className: 'empty', role: 'option', ariaDisabled: 'true', textContent: 'Nothing has this name.' }));
    choose(entries.length ? list.firstElementChild : null);
  }

  async function load() {
    const mine = ++asked;
    const query = field.value.trim();
    try {
      const [{ sessions }, all] = await Promise.all([
        call('GET', `/api/sessions?${new URLSearchParams({ limit: MOST + 1, ...(query && { q: query }) })}`),
        projects.length ? projects : call('GET', '/api/projects'),
      ]);
      if (mine !== asked) return;
      projects = all;
      show(sessions);
      announce(`${list.childElementCount} entries`);
    } catch (error) {
      if (mine === asked) { show([]); list.append(make('li', { className: 'empty', role: 'option', ariaDisabled: 'true', textContent: said(error) })); }
    }
  }

  function open() {
    field.value = '';
    show([]);
    dialog.showModal();
    field.focus();
    load();
  }

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(load, PAUSE);
  });
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (event) => {
    if (isComposing(event)) { if (event.key === 'Escape') event.preventDefault(); return; }
    const all = [...list.querySelectorAll('li:not(.empty)')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') chosen()?.click();
    else if (step && all.length) choose(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
    else return;
    event.preventDefault();
  });

  const keys = {
    ...(create && { O: () => Promise.resolve(create()).catch(failed) }),
    E() { const next = nextAsking(); if (next) location.href = next.href; else announce('No other session asks.'); },
    L() { if (last()) go(pathOf(last())); else announce('No other session was open in this tab.'); },
  };
  addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.repeat || isComposing(event)) return;
    const key = event.key.toUpperCase();
    const isPalette = key === 'K' && !event.shiftKey;
    const run = isPalette ? () => (dialog.open ? dialog.close() : open()) : event.shiftKey && keys[key];
    if (!run || (document.querySelector('dialog[open]') && !(isPalette && dialog.open))) return;
    event.preventDefault();
    run();
  });
  return { open };
}
