// The page of one session.
import { about } from './about.js';
import { back } from './back.js';
import { address, announce, at, call, isComposing, make, may, Refused, said, titled, uuid } from './common.js';
import { activity, entitle as badge, nextAsking } from './activity.js';
import { agents } from './agents.js';
import { changed } from './changed.js';
import { comments } from './comments.js';
import './keys.js';
import { choicesOf, choose, offer } from './choices.js';
import { completing } from './complete.js';
import { growing } from './composer.js';
import { costOf, turnOf } from './cost.js';
import { dictation } from './dictation.js';
import { earlier } from './earlier.js';
import { finder } from './find.js';
import { limits, moment } from './limits.js';
import { outbox } from './outbox.js';
import { begin, palette } from './palette.js';
import { requests } from './requests.js';
import { side } from './side.js';
import { stream } from './stream.js';
import { partOf, remembered } from './window.js';

const page = document.body;
const id = page.dataset.session;
const api = `/api/sessions/${encodeURIComponent(id)}`;
const log = at('log');
const phase = at('phase');
const bar = document.querySelector('.top');
const asked = requests(at('requests'), api, { before: () => isAtEnd(), after: placed, done: () => offerNext(true), resends: true });

// The conversation.

const isAtBottom = () => window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 120;
// Who reads the beginning of a long request is not at the end, however near it is.
const isAtEnd = () => part.hasNewest() && isAtBottom() && !unseen() && !isCommenting();
const toEnd = () => part.goTo('newest');
/** Whether the field of a comment is open, which stays where it is. */
const isCommenting = () => log.querySelector('form.comment') != null;

/** The elements of some HTML, which the server has made. */
function parsed(html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}

/** Replaces an element, and keeps what the reader has unfolded. */
function put(old, content) {
  const fresh = content.firstElementChild;
  if (cards.update(old, fresh)) return;
  const open = [...old.querySelectorAll('details')].map((it) => it.open);
  fresh?.querySelectorAll('details').forEach((it, n) => { it.open = open[n] ?? false; });
  old.replaceWith(fresh ?? content);
}

/** Puts a button for copying on each code block below a place, and one for what can be done about it on each prompt. */
function equip(place) {
  past.mark(place);
  cards.mark(place);
  for (const diff of place.querySelectorAll('[data-file]')) commented(diff);
  for (const code of place.querySelectorAll('.block:not(.more) .code')) {
    if (code.querySelector('.copy')) continue;
    const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
    code.append(button);
    code.classList.add('copyable');
  }
}

/** The text of a code block, with the blocks that continue it. */
function textOf(code) {
  let text = code.querySelector('code').textContent;
  let block = code.closest('.block')?.nextElementSibling;
  while (block?.classList.contains('more')) {
    text += block.querySelector('code')?.textContent ?? '';
    block = block.nextElementSibling;
  }
  return text;
}

log.addEventListener('click', async (event) => {
  const button = event.target.closest('.copy');
  if (!button) return;
  const text = textOf(button.closest('.code'));
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without HTTPS there is no clipboard: the text is selected, ready to be copied by hand.
    const range = document.createRange();
    range.selectNodeContents(button.closest('.code').querySelector('code'));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    copied = document.execCommand?.('copy') ?? false;
  }
  button.textContent = copied ? 'Copied' : 'Selected';
  announce(button.textContent);
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
});

/** Lets a person comment on the lines of the cards. */
function commenting() {
  const bar = make('section', { className: 'collected', ariaLabel: 'Comments', hidden: true });
  at('unsent').before(bar);
  const cardOf = (diff) => diff.closest('section[id]')?.id;
  const sectionOf = ({ card, path }) => {
    const diffs = card ? [...at(card)?.querySelectorAll('[data-file]') ?? []] : [];
    return diffs.find((it) => it.dataset.file === path && cardOf(it) === card);
  };
  const go = make('a', { className: 'button', href: at('changes').href, textContent: 'Show all' });
  return comments(id, { sectionOf, cardOf, main: log, bar, foot: at('composer'), go, sent: toEnd });
}
const commented = may('sendPrompt') ? commenting() : () => {};

let wasReset = false;
const operations = {
  reset({ window: newest }) {
    part.reset(newest);
    // Where there is nothing to read yet, the keyboard of a phone covers nothing.
    if (!wasReset && may('sendPrompt') && !log.querySelector('section')) at('prompt').focus();
    wasReset = true;
  },
  add({ id, html }) {
    const old = at(id);
    if (old) put(old, parsed(html)); else log.append(parsed(html).firstElementChild);
    equip(at(id) ?? log);
  },
  replace(operation) { operations.add(operation); },
  blocks({ id, keep, html }) {
    const text = at(id)?.querySelector('.markdown');
    if (!text) return;
    while (text.children.length > keep) text.lastElementChild.remove();
    text.append(parsed(html));
    equip(text);
  },
  text({ id, text }) {
    const all = at(id)?.querySelector('.all');
    if (!all) return;
    let pre = all.querySelector('pre.long');
    if (!pre) all.append(pre = make('pre', { className: 'long' }));
    pre.append(text);
  },
  elapsed({ id, seconds }) {
    const section = at(id);
    if (section) section.dataset.elapsed = `${Math.round(seconds)} s`;
  },
  remove({ id }) { at(id)?.remove(); },
};

const path = `/s/${encodeURIComponent(id)}`;
const part = partOf(log, path, {
  perform: (operation) => operations[operation.op]?.(operation), shown: equip, isAtEnd,
  reveal: (...where) => cards.reveal(...where),
  moved: () => requestAnimationFrame(() => { follows = isAtEnd(); newer(); }),
});
const cards = agents({
  log, api, part, equip, act: (what) => act(what), put: (operation) => operations[operation.op]?.(operation),
});
const memory = remembered(part);
const finding = finder(part, path);
let isBegun = false;

function apply(all) {
  const seen = isAtEnd() ? null : part.eye();
  for (const operation of all) {
    if (part.takes(operation)) operations[operation.op]?.(operation);
    else if (operation.card) cards.take(operation);
  }
  at('empty').hidden = log.childElementCount > 0;
  foldAsked();
  if (!isTitled) entitle(null);
  composer.arrived(all);
  unreached.arrived(all);
  finding.changed();
  if (seen) { part.restore(seen); part.trim(); } else toEnd();
  newer();
  if (isBegun) return;
  isBegun = true;
  memory.arrive();
}

/** Where the last button of a request ends on the screen. */
const endOf = (form) => (form.querySelector('.answers') ?? form).getBoundingClientRect().bottom;
const allRequests = () => [...document.querySelectorAll('#requests > form')];

/** The first request that is below what the reader sees. */
function unseen() {
  const end = at('composer').getBoundingClientRect().top;
  return allRequests().find((it) => endOf(it) > end);
}

/** Whether a button above the composer would cover the buttons of a request. */
const wouldCover = () => {
  const end = at('composer').getBoundingClientRect().top;
  return allRequests().some((it) => {
    const { top, bottom } = (it.querySelector('.answers') ?? it).getBoundingClientRect();
    return top < end && bottom > bar.offsetHeight;
  });
};

/** Offers the way to what is below the reader. */
function newer() {
  const form = unseen();
  const text = form ? 'Claude asks: show it' : 'To the newest';
  if (at('newer').textContent !== text) at('newer').textContent = text;
  at('newer').classList.toggle('strong', form != null);
  at('newer').hidden = isAtEnd() || wouldCover() || (isCommenting() && !form);
}

/** Whether a request has not enough room between the bars, with a little space above and below it. */
const isLong = (form) => form.offsetHeight + 16 > at('composer').getBoundingClientRect().top - bar.offsetHeight;

/** Shows a request whole, or from its beginning if it is long; from there, its end. */
function reveal(form) {
  const isAtStart = Math.abs(form.getBoundingClientRect().top - bar.offsetHeight) < 24;
  form.scrollIntoView({ block: isLong(form) && !isAtStart ? 'start' : 'end' });
}

const following = make('a', { className: 'button strong next', hidden: true });
at('requests').after(following);
let isAnswered = false; // Whether a person has answered here, and nothing has been asked since.

/** Leads on to the next session that asks, once what this one asked is answered. */
function offerNext(isNow = isAnswered) {
  isAnswered = isNow;
  const next = isAnswered && !allRequests().length ? nextAsking() : null;
  const wasHidden = following.hidden;
  following.hidden = !next;
  if (!next) return;
  following.href = next.href;
  following.textContent = `Next: ${next.title}`;
  if (wasHidden && document.activeElement === page) following.focus({ preventScroll: true });
}

/** A tool whose use is asked for shows its name alone: the request has the rest. */
function foldAsked() {
  const tools = new Set(allRequests().map((it) => it.dataset.tool));
  for (const it of log.querySelectorAll('section.asked-for')) if (!tools.has(it.id)) it.classList.remove('asked-for');
  for (const tool of tools) at(tool)?.classList.add('asked-for');
}

/** A request has come or gone. One that comes takes nobody away from what he reads. */
function placed(wasAtEnd, form) {
  foldAsked();
  if (form) composer.fold();
  if (form) offerNext(false);
  if (form && wasAtEnd) reveal(form);
  newer();
}

at('newer').addEventListener('click', async () => {
  const form = unseen();
  if (!form || !part.hasNewest()) await toEnd();
  if (form) reveal(form);
  newer();
});
/** The height of the bar at the top, as it was seen last. */
let above = 0;
// Who reads the newest stays there when the window changes, as it does with a keyboard on the screen.
let follows = true;
addEventListener('scroll', () => {
  // A bar has grown at this moment: what it has moved is brought back first.
  if (bar.offsetHeight !== above) return;
  follows = isAtEnd();
  if (follows) at('newer').hidden = true; else if (allRequests().length) newer();
}, { passive: true });
addEventListener('resize', () => {
  if (follows && !isCommenting()) toEnd();
  newer();
});
/** The request whose beginning was seen below a bar of this height. */
function begun(height) {
  const isSeen = ({ top }) => (follows ? top > height - 24 : Math.abs(top - height) < 24);
  return [...document.querySelectorAll('#requests > form')].findLast((it) => isSeen(it.getBoundingClientRect()));
}

// Both bars grow, with notices and with a long prompt. Who reads the beginning of a request stays there.
const bars = new ResizeObserver(() => {
  const { style } = document.documentElement;
  const form = above && above !== bar.offsetHeight ? begun(above) : null;
  const wasSeen = at('newer').hidden;
  above = bar.offsetHeight;
  // Not by properties that all elements inherit: each of them would be styled anew.
  style.scrollPaddingTop = `calc(${above}px + .5rem)`;
  style.scrollPaddingBottom = `calc(${at('composer').offsetHeight}px + .5rem)`;
  // The composer has grown over a request that was seen.
  const covered = wasSeen && !form ? unseen() : null;
  if (form) form.scrollIntoView({ block: isLong(form) ? 'start' : 'end' });
  else if (covered && !isLong(covered)) covered.scrollIntoView({ block: 'end' });
  else if (follows && !isCommenting()) toEnd();
  newer();
});
bars.observe(bar);
bars.observe(at('composer'));

// What is going on.

const phases = {
  idle: 'Ready', waiting: 'Waiting for a free process', starting: 'Starting', running: 'Working',
  limited: 'Waits for the reset of a usage limit', cut: 'Was cut off',
  ...(may('answerRequest') ? { asking: 'Asks you', deferred: 'Waits for your answer' } : { asking: 'Waits for an answer', deferred: 'Waits for an answer' }),
};

let isTitled = false;

/** A session without a title is called by its first prompt. */
function entitle(title) {
  const first = part.hasOldest() ? log.querySelector('section.userInput .text') : null;
  const picture = part.hasOldest() && log.querySelector('section.image, section.document') ? 'A picture or document' : '';
  const text = title ? titled(title, document.body.dataset.fork) : first?.textContent.trim() || picture;
  if (!text) return;
  at('title').textContent = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  badge(at('title').textContent);
  const row = document.querySelector('#side [aria-current] strong');
  if (row?.textContent === 'New session') row.textContent = text;
}

/** The connection is lost: what is shown is not known to be so any more. */
function lost(why) {
  phase.dataset.phase = 'lost';
  phase.textContent = 'Not connected';
  // Nobody knows what it does now.
  progress(null);
  problem(at('offline'), why);
}

/** The phase in words. A session whose turn is over may still have agents at work. */
function inWords({ phase, limitedUntil, agents = 0, tasks = 0, backgroundTasks = 0, waitsForStore, waitsForLimit }) {
  const until = limitedUntil == null ? '' : ` until ${moment(limitedUntil)}`;
  const own = waitsForLimit ? `, as ${waitsForLimit.name} may have ${waitsForLimit.value} at once` : '';
  const text = waitsForStore ? 'waiting for the store' : `${phases[phase] ?? phase}${until}${own}`;
  // The CLI may count tasks of which it has told nothing else.
  const others = Math.max(tasks, backgroundTasks - agents);
  const counts = [];
  if (agents) counts.push(agents === 1 ? '1 agent works' : `${agents} agents work`);
  if (others) counts.push(others === 1 ? '1 task runs' : `${others} tasks run`);
  return [...(phase === 'idle' && counts.length ? [] : [text]), ...counts].join(', ');
}

let known = null; // The newest state.
const countChanges = changed(at('changes'), api);

/** Asks what can be chosen, and offers it. */
async function choices() {
  const all = await choicesOf(at('project').textContent);
  if (may('changeSettings')) offer({ model: at('model'), mode: at('mode'), effort: at('effort') }, all);
  return all;
}

function state(now) {
  // A process has started, and said what can be chosen.
  const isOver = !known || (now.phase === 'idle' && known.phase !== 'idle');
  const isNew = !known || (now.phase !== known.phase && ['starting', 'waiting'].includes(known.phase));
  known = now;
  const text = inWords(now);
  if (phase.dataset.phase !== now.phase || phase.textContent !== text) announce(text);
  phase.classList.toggle('busy', now.backgroundTasks + now.agents + now.tasks > 0);
  phase.dataset.phase = now.phase;
  phase.textContent = text;
  const isRunning = ['running', 'starting', 'waiting', 'limited', 'asking'].includes(now.phase);
  if (may('interruptTurn')) at('stop').hidden = !isRunning;
  if (may('sendPrompt')) at('send').textContent = isRunning ? 'Add' : 'Send';
  if (may('sendPrompt')) at('priority').parentElement.hidden = !isRunning;
  const cost = costOf(now.costUsd, now.costIsEstimate);
  at('cost').textContent = cost && `in all ${cost}`;
  at('turn').textContent = turnOf(now.turn);
  at('context').replaceChildren(...contextOf(now.context));
  at('branch').hidden = !now.worktree;
  at('branch').lastChild.textContent = now.worktree?.branch ?? '';
  at('queued').textContent = now.waitingPrompts?.length ? `${now.waitingPrompts.length} waiting` : '';
  isTitled = now.title != null;
  entitle(now.title);
  past.state(now);
  if (may('changeSettings')) {
    choose(at('model'), now.model);
    choose(at('mode'), now.mode);
    choose(at('effort'), now.effort ?? 'default');
  }
  if (isNew) choices().catch(() => {});
  if (isOver) countChanges();
  problem(at('trouble'), now.error ?? '');
  cutOff(now);
  if (!isRunning) progress(null);
}

/** The prompts that were accepted and not sent to Claude. */
const unsent = ({ unanswered = [] }) => unanswered.filter((it) => !it.sent);

/** Whether the last turn was cut off: its server or its process ended. */
const wasCut = ({ phase, unanswered = [] }) => ['cut', 'idle'].includes(phase) && unanswered.some((it) => it.sent);

/** Offers to continue a turn that was cut off, and to send or drop the prompts that were not sent. */
function cutOff(now) {
  const isCut = wasCut(now);
  const count = unsent(now).length;
  at('cut').hidden = !isCut && !count;
  const cut = isCut ? 'The last turn was cut off before its end.' : '';
  const waits = count > 1 ? `${count} prompts were not sent to Claude.` : count ? 'A prompt was not sent to Claude.' : '';
  at('cut').firstElementChild.textContent = [cut, waits].filter(Boolean).join(' ');
  if (may('sendPrompt')) at('go-on').textContent = isCut ? 'Go on' : count > 1 ? 'Send them' : 'Send it';
  if (!may('cancelPrompt')) return;
  at('dismiss').textContent = count > 1 ? 'Do not send them' : 'Do not send it';
  at('dismiss').hidden = !count;
}

/** Has Claude go on with the turn that was cut off, and sends the prompts that it has not got. */
async function goOn() {
  if (wasCut(known)) await call('POST', `${api}/prompts`, { uuid: uuid(), text: 'You were cut off. Go on.' });
  for (const { uuid } of unsent(known)) {
    const { text, images, documents } = await call('GET', `${api}/prompts/${uuid}`);
    await call('POST', `${api}/prompts`, { uuid, text, ...(images.length && { images }), ...(documents.length && { documents }) });
  }
}

/** The tokens in the context, in short. A phone has no room for the unit. */
function contextOf(tokens) {
  if (tokens == null) return [];
  const unit = make('span', { className: 'roomy', textContent: tokens === 1 ? 'token of ' : 'tokens of ' });
  return [`${tokens < 1000 ? tokens : `${Math.round(tokens / 1000)}k`} `, unit, 'context'];
}

function problem(place, text) {
  place.textContent = text;
  place.hidden = !text;
}

function progress(now) {
  const place = at('progress');
  const bar = place.querySelector('progress');
  const isShown = now != null && ['running', 'waiting'].includes(now.state) && (now.step || now.total);
  place.hidden = !isShown;
  if (!isShown) return;
  const count = now.total ? ` ${now.completed ?? 0}/${now.total}` : '';
  place.querySelector('span').textContent = `${now.step ?? 'Working'}${count}`;
  const share = now.percentage ?? (now.total ? (100 * (now.completed ?? 0)) / now.total : null);
  bar.hidden = share == null;
  if (share != null) bar.value = share;
}

// The stream.

const AGAIN = 'The connection is lost. Trying again…';
const reasons = {
  closed: AGAIN,
  // What is shown may be old, also while nothing says whether the server can be reached.
  silent: 'The server was not heard for a while. Trying again…',
  offline: 'This device has no network.',
  unseen: 'Other tabs have the connections to the server. Connecting…',
};

/** Goes to the address of the conversation, if it has gone on under another one, as after `/clear`. */
async function moved({ session }) {
  if (session === id) return;
  await unreached.moved(session).catch(() => {});
  const draft = at('prompt')?.value;
  if (draft) localStorage.setItem(`claw.draft.${session}`, draft);
  localStorage.removeItem(`claw.draft.${id}`);
  location.replace(address(`/s/${encodeURIComponent(session)}`));
}

/** Listens to what happens in the session, and in all others if they are listed beside it. */
function listen() {
  const beside = side(id);
  stream({
    path: () => `${path}/stream?list=true`,
    joined: 'page',
    events: {
      page: apply, state, progress, requests: asked.reset, request: asked.add, answered: asked.answered, moved,
      activity(now) { activity(now); offerNext(); beside.busy(now); },
      edited: beside.edited, limits,
      closed: () => { state({ phase: 'idle' }); },
    },
    heard(name) {
      // What others do says nothing about this session: it leaves what is shown of the connection.
      if (['activity', 'edited', 'limits'].includes(name)) return;
      problem(at('offline'), '');
      if (phase.dataset.phase !== 'lost') return;
      if (known) state(known);
      composer.again();
      unreached.flush();
      asked.again();
    },
    lost: (why) => lost(reasons[why] ?? (why instanceof Refused ? said(why) : AGAIN)),
    check: () => call('GET', api),
    again: beside.again,
  });
}

// What the person does.

const nothing = () => {};
const past = !may('sendPrompt') ? { state: nothing, mark: nothing, resume: nothing } : back({
  id, state: () => known, act: (what) => act(what), files: (others) => composer.exchange(others),
});
const unreached = !may('sendPrompt') ? { arrived: nothing, flush: nothing, moved: async () => {} } : outbox({
  session: id, send: (prompt, signal) => call('POST', `${api}/prompts`, prompt, signal), edit: (prompt) => composer.put(prompt),
});
const composer = !may('sendPrompt') ? { again: nothing, arrived: nothing, fold: nothing, focus: nothing } : growing(at('composer'), {
  key: `claw.draft.${id}`,
  send: (prompt, signal) => past.send(prompt) ?? unreached.send(prompt, signal),
  // A prompt that begins a copy stays in the field.
  keep: (prompt) => !past.isEditing() && unreached.keep(prompt),
  uuid,
  told: (text, error) => problem(at('unsent'), error ? `${text}: ${said(error)}` : text),
  sent: toEnd,
});
if (may('sendPrompt') && may('searchFiles')) completing(at('prompt'), {
  commands: async () => (await choices()).commands,
  files: (text, signal) => call('GET', `/api/projects/${encodeURIComponent(at('project').textContent)}/files?${new URLSearchParams({ q: text })}`, undefined, signal),
});

let isRefused = false; // Whether the notice is about an act. That a prompt was not sent stays true after one.

async function act(what) {
  try {
    await what();
    if (isRefused) problem(at('unsent'), '');
    isRefused = false;
  } catch (error) {
    problem(at('unsent'), said(error));
    isRefused = true;
  }
}
if (may('sendPrompt')) at('go-on').addEventListener('click', (event) => {
  if (event.detail < 2) act(goOn);
});
if (may('cancelPrompt')) at('dismiss').addEventListener('click', () => act(async () => {
  for (const { uuid } of unsent(known)) await call('POST', `${api}/prompts/${uuid}/cancel`);
}));
if (may('interruptTurn')) at('stop').addEventListener('click', () => act(() => call('POST', `${api}/interrupt`)));
if (may('changeSettings')) {
  for (const name of ['model', 'mode', 'effort']) {
    at(name).addEventListener('change', (event) => act(() => call('POST', `${api}/settings`, { [name]: event.target.value })));
  }
}
const change = about(() => { location.href = address('/'); });
if (change) at('about').addEventListener('click', () => change(id));
if (may('forkSession')) at('fork').addEventListener('click', () => act(async () => {
  const forked = await call('POST', `${api}/fork`, {});
  location.href = address(`/s/${encodeURIComponent(forked.id)}`);
}));
const isStoppable = () => may('interruptTurn') && !at('stop').hidden;
/** Whether a key was pressed in the conversation or in the empty prompt, where Escape means the turn and nothing else. */
const isAboutTurn = ({ target }) => target === page || log.contains(target) || (target.id === 'prompt' && !target.value);
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented && !isComposing(event) && isAboutTurn(event) && isStoppable()) at('stop').click();
});

const create = () => act(() => begin(at('project').textContent));
if (may('openSession')) at('new').addEventListener('click', create);
const commands = {
  ...(may('openSession') && { 'New session': create }), 'All sessions': () => { location.href = address('/'); }, 'Find in the conversation': () => at('find').click(),
  Changes: () => at('changes').click(), ...(change && { 'Rename, tag, archive or delete': () => at('about').click() }),
  ...(may('forkSession') && { Fork: () => at('fork').click() }), ...(may('sendPrompt') && { Attach: () => at('attach').click() }), Usage: () => { location.href = address('/usage'); }, Keys: () => at('show-keys').click(),
};
palette({
  session: id, create: may('openSession') && create, failed: (error) => problem(at('unsent'), said(error)),
  commands: () => (isStoppable() ? { ...commands, 'Stop the turn': () => at('stop').click() } : commands),
});
if (may('sendPrompt')) dictation(at('prompt'), { button: at('dictate'), heard: at('heard'), told: (text) => problem(at('unsent'), text) });
if (may('sendPrompt')) earlier(at('prompt'), () => [...log.querySelectorAll(':scope > .userInput:not(.sub) .text')].map((it) => it.textContent).reverse());

listen();
unreached.flush();
act(past.resume);
composer.focus();
