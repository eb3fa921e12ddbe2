// A worktree is finished: committed, merged, rebased, pushed or removed, after a form that says what is done.
import { commits, files } from './against.js';
import { address, announce, call, make, may, said } from './common.js';

/** How many characters of a message can be written. */
const LONGEST = 20_000;
const byFinger = matchMedia('(pointer: coarse)');

/** The field of a message, which is proposed and can be changed. */
const messageOf = (text, name = 'message', label = 'Message') => make('label', {}, make('span', { textContent: label }),
  make('textarea', { name, value: text, rows: 2, maxLength: LONGEST, dir: 'auto' }));

/** What can be done. Each has a label, a form, and the body of its request. `null` for what cannot be done now. */
function actions({ branch, state, message, remote, unpushed, hasGh, loss }) {
  const { base, ahead, uncommitted } = state;
  const rest = uncommitted ? ` ${uncommitted === 1 ? '1 uncommitted file is' : `${uncommitted} uncommitted files are`} committed before:` : '';
  const proposed = uncommitted ? [messageOf(message)] : [];
  const isPushed = unpushed === 0;
  const where = remote ?? 'origin';
  return {
    commit: uncommitted ? {
      label: 'Commit', title: `Commits ${files(uncommitted)} on ${branch}.`, fields: [messageOf(message)], verb: 'Commit',
    } : null,
    merge: base ? {
      label: `Merge into ${base}`, title: `Merges ${branch}${ahead ? ` (${commits(ahead)})` : ''} into ${base}, in the project's folder.${rest}`,
      fields: proposed, verb: uncommitted ? 'Commit and merge' : 'Merge',
    } : null,
    rebase: base ? {
      label: `Rebase onto ${base}`, title: `Puts the commits of ${branch} on top of ${base}.${rest}`, fields: proposed,
      verb: uncommitted ? 'Commit and rebase' : 'Rebase',
    } : null,
    push: {
      label: 'Push', title: `Pushes ${branch} to ${where}.${isPushed ? ' It has all commits already.' : ''}${uncommitted ? ` ${files(uncommitted)} stay here.` : ''}`,
      fields: [], verb: 'Push',
    },
    pullRequest: hasGh && base ? {
      label: 'Open a pull request', title: `Pushes ${branch} to ${where}, and opens a pull request into ${base} with gh.`,
      fields: [make('label', {}, make('span', { textContent: 'Title' }), make('input', { name: 'title', value: message, maxLength: 256, required: true, dir: 'auto' })),
        messageOf('', 'message', 'Text')],
      verb: 'Open it',
    } : null,
    discard: {
      label: 'Remove…', verb: 'Remove it', isBad: true, fields: [], expect: loss,
      title: `Remove the worktree and its branch ${branch} for good? ${loss.commits || loss.files
        ? `${commits(loss.commits)} and ${files(loss.files)} will be lost.` : 'No commit and no uncommitted file will be lost.'} Files that git ignores are removed too. The session ends, and can still be read.`,
    },
  };
}

/** The state in a sentence. */
function sentence({ branch, state }) {
  const { base, ahead, behind, uncommitted } = state;
  const place = base ? `${commits(ahead)} ahead of ${base}, ${behind} behind` : 'The project\'s folder has no branch to compare with';
  return `${branch ?? 'No branch'}: ${place}, ${files(uncommitted)}.`;
}

/** Fills the place for what is done with the worktree of a session. Gives what is called with what goes on in all sessions. */
export function finish(place, session) {
  const api = `/api/sessions/${encodeURIComponent(session)}`;
  const about = make('p', { className: 'about-changes' });
  const base = make('p', { className: 'about-changes' });
  const trouble = make('p', { className: 'note bad', role: 'alert', hidden: true });
  const buttons = make('div', { className: 'buttons' });
  const more = make('details', { className: 'more' });
  const outcome = make('div', { className: 'outcome', role: 'status' });
  const form = make('form', { hidden: true });
  place.append(about, base, trouble, outcome, buttons, form);
  let view = null;
  let chosen = null; // The name of the action whose form is open.
  let isSending = false;
  let wasBusy = null;

  function problem(text) {
    trouble.textContent = text;
    trouble.hidden = !text;
  }

  /** Closes the form, and gives the keyboard back to the button that opened it. */
  function close() {
    const button = place.querySelector(`[data-action="${chosen}"]`);
    chosen = null;
    form.hidden = true;
    buttons.hidden = false;
    button?.focus({ preventScroll: true });
  }

  function open(name, { title, fields, verb, isBad, expect }) {
    chosen = name;
    problem('');
    // The second click of a double click has not read what the form says.
    const once = (event) => { if (event.detail > 1) event.preventDefault(); };
    const sure = make('button', { className: isBad ? 'bad' : 'strong', textContent: verb, onclick: once });
    const cancel = make('button', { type: 'button', textContent: isBad ? 'Keep it' : 'Cancel', onclick: close });
    form.replaceChildren(make('p', { textContent: title }), ...fields, make('div', { className: 'answers' }, cancel, sure));
    form.onsubmit = (event) => {
      event.preventDefault();
      submit(name, expect, sure);
    };
    buttons.hidden = true;
    form.hidden = false;
    // What removes something is not under the key that has opened the form. On a phone no keyboard covers the message.
    const field = byFinger.matches ? null : form.querySelector('textarea, input');
    (isBad ? cancel : field ?? sure).focus({ preventScroll: true });
  }

  async function submit(action, expect, sure) {
    if (isSending) return;
    const value = (name) => form.elements[name]?.value.trim();
    const body = { action, ...(expect && { expect }), ...(value('title') && { title: value('title') }), ...(value('message') && { message: value('message') }) };
    if (action === 'commit' && !body.message) { problem('A commit needs a message.'); return; }
    isSending = true;
    sure.disabled = true;
    problem('');
    announce('Git works');
    try {
      const done = await call('POST', `${api}/worktree`, body);
      close();
      more.open = false;
      show(done);
      if (done.worktree) draw(done.worktree); else gone();
    } catch (error) {
      problem(said(error));
      // What the form says may not be so any more.
      if (error.kind === 'changed') { close(); more.open = false; load(); }
    } finally {
      isSending = false;
      sure.disabled = false;
    }
  }

  /** Shows what came of it. */
  function show({ done, text, conflicts, prompt, url }) {
    // Most texts begin with the name of a branch, which stays as it is.
    const parts = [make('p', { textContent: `${text.replace(/^the /, 'The ')}.` })];
    // The server gives nothing but `https`.
    if (url?.startsWith('https://')) parts.push(make('p', {}, make('a', { href: url, rel: 'noreferrer noopener', target: '_blank', textContent: url })));
    if (conflicts.length) {
      parts.push(make('ul', {}, ...conflicts.map((file) => make('li', { textContent: file }))));
      parts.push(make('button', { type: 'button', className: 'strong', textContent: 'Let Claude resolve them', onclick: () => resolve(prompt) }));
    }
    outcome.replaceChildren(make('div', { className: done ? 'note' : 'note warning' }, ...parts));
    outcome.scrollIntoView({ block: 'nearest' });
  }

  /** Puts the prompt into the field of the session, where the person reads it and sends it. */
  function resolve(prompt) {
    const key = `claw.draft.${session}`;
    const before = localStorage.getItem(key)?.trim();
    localStorage.setItem(key, before ? `${before}\n\n${prompt}` : prompt);
    location.href = address(`/s/${encodeURIComponent(session)}`);
  }

  function gone() {
    view = null;
    about.textContent = '';
    base.textContent = '';
    buttons.replaceChildren(make('a', { className: 'button', href: address('/'), textContent: 'All sessions' }));
  }

  /** A button for an action, in its place. */
  function button(name, action, isStrong) {
    const it = make('button', {
      type: 'button', className: isStrong ? 'strong' : action.isBad ? 'quiet delete' : '', textContent: action.label, disabled: Boolean(view.problem) || view.isRunning,
      onclick: () => open(name, action),
    });
    it.dataset.action = name;
    return it;
  }

  function draw(now) {
    const had = place.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    view = now;
    about.textContent = sentence(now);
    base.textContent = now.isRunning ? 'A turn runs in this worktree. It can be finished when the turn is over.'
      : now.problem ? `${now.problem[0].toUpperCase()}${now.problem.slice(1)}.`
        : now.state.base ? `${now.state.base} is the branch of the project's folder.` : '';
    place.hidden = false;
    if (!may('finishWorktree')) return;
    const { commit, merge, ...others } = actions(now);
    const rest = Object.entries(others).filter(([, action]) => action);
    more.replaceChildren(make('summary', { textContent: 'More' }), make('div', { className: 'buttons' }, ...rest.map(([name, action]) => button(name, action))));
    const isMerge = merge && (now.state.ahead || now.state.uncommitted);
    buttons.replaceChildren(...(commit ? [button('commit', commit)] : []), ...(isMerge ? [button('merge', merge, true)] : []), more);
    // Who has the keyboard on a button that is not there any more goes on with the next one.
    if (had) (buttons.querySelector(`[data-action="${had}"]:not(details:not([open]) *)`) ?? buttons.querySelector('button:not(details *), summary')).focus({ preventScroll: true });
  }

  async function load() {
    try {
      const now = await call('GET', `${api}/worktree`);
      if (!chosen) draw(now);
    } catch (error) {
      place.hidden = false;
      problem(said(error));
    }
  }

  load();
  return ({ sessions }) => {
    const isBusy = sessions.some(({ id }) => id === session);
    if (wasBusy !== null && wasBusy !== isBusy) load();
    wasBusy = isBusy;
  };
}
