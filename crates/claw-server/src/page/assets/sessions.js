// The page of all sessions.
import './keys.js';
import { about } from './about.js';
import { activity, listen } from './activity.js';
import { hasSound, setSound } from './alerts.js';
import { answering } from './answering.js';
import { choicesOf, offer } from './choices.js';
import { address, answered, at, call, make, may, said, titled } from './common.js';
import { showCli } from './cli.js';
import { device } from './device.js';
import { ago, isGrouped, listing, setGrouped } from './listing.js';
import { palette } from './palette.js';
import { forget } from './push.js';

const list = at('list');
const params = new URLSearchParams(location.search);

function trouble(error) {
  at('trouble').textContent = error ? said(error) : '';
  at('trouble').hidden = !error;
}

const query = params.get('q') ?? '';
const isArchived = params.get('archived') === 'true';
const sessions = listing({
  place: at('main'), about: about(), isArchived, answer: may('answerRequest') ? answering() : null,
  more: (hasMore) => { at('more').hidden = !hasMore; },
});

/** A text, with what was looked for marked. */
function marked(text) {
  const [low, wanted] = [text.toLowerCase(), query.toLowerCase()];
  if (low.length !== text.length) return [text];
  const parts = [];
  let end = 0;
  for (let start = low.indexOf(wanted); start >= 0; start = low.indexOf(wanted, end)) {
    parts.push(text.slice(end, start), make('mark', { textContent: text.slice(start, start + wanted.length) }));
    end = start + wanted.length;
  }
  return [...parts, text.slice(end)];
}

/** Shows where the text stands in conversations, with the sessions' titles and projects, and what was not searched. */
async function showHits(hits, missing) {
  const ids = [...new Set(hits.map((it) => it.sessionId))];
  const entries = new Map(await Promise.all(ids.map(async (id) => [id, await sessions.entry(id)])));
  const found = make('ul', { className: 'sessions hits' });
  for (const hit of hits) {
    const id = encodeURIComponent(hit.sessionId);
    const { title, forkDepth, project } = entries.get(hit.sessionId) ?? {};
    const about = [titled(title, forkDepth), project, hit.kind, ago(hit.timestamp)].filter(Boolean).join(' · ');
    found.append(make('li', {}, make('a', { href: address(`/s/${id}`) },
      make('span', {}, ...marked(hit.excerpt)), make('small', { textContent: about }))));
  }
  // The list may have been got again meanwhile.
  list.querySelector('.in-conversations')?.remove();
  if (!hits.length && !missing) return;
  const lacks = missing ? [make('p', { textContent: `Not searched: ${missing}.` })] : [];
  list.append(make('section', { className: 'in-conversations' },
    make('h2', { className: 'project', textContent: 'In conversations' }), ...lacks, found));
}

const NO_PROJECT = 'This server has no project, so no session can begin. Start claw serve again with --project and a folder.';
const begins = may('openSession');
const hasProjects = !begins || at('start').elements.project.options.length > 0;
if (begins) at('begin').hidden = !hasProjects;

async function load(isFirst) {
  try {
    await (isFirst ? sessions.search(query) : sessions.load());
    if (query && isFirst && !isArchived) {
      const { value, missing } = await answered('GET', `/api/search?${new URLSearchParams({ q: query })}`);
      await showHits(value, missing);
    }
    sessions.count(query ? 'Nothing was found. Other words may, or all sessions: empty the field, and search.' : isArchived ? 'No session is archived.' : !begins ? 'There are no sessions yet.' : hasProjects ? 'There are no sessions yet. Begin one with “New session” above.' : NO_PROJECT);
    trouble(null);
  } catch (error) {
    trouble(error);
  }
}

at('more').addEventListener('click', () => load(false));
at('sound').checked = hasSound();
at('sound').addEventListener('change', () => setSound(at('sound').checked));
at('grouped').checked = isGrouped();
at('grouped').addEventListener('change', () => {
  setGrouped(at('grouped').checked);
  load(true);
});
listen({
  activity(now) {
    activity({ ...now, others: 0 });
    sessions.busy(now);
  },
  edited: sessions.edited,
}, () => { if (list.querySelector('li, .empty')) sessions.refresh().catch(trouble); else load(true); });
if (begins) at('start').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const wanted = { project: form.get('project') };
  if ((form.get('mode') ?? 'project') !== 'project') wanted.mode = form.get('mode');
  if (form.get('model') !== 'default') wanted.model = form.get('model');
  if (form.get('effort') !== 'default') wanted.effort = form.get('effort');
  const name = form.get('tree')?.trim();
  if (form.get('worktree')) wanted.worktree = { ...(name && { name }) };
  try {
    startTrouble(null);
    const session = await call('POST', '/api/sessions', wanted);
    location.href = address(`/s/${encodeURIComponent(session.id)}`);
  } catch (error) {
    startTrouble(error);
  }
});
/** Says beside the form why no session can be started. */
function startTrouble(error) {
  at('start-trouble').textContent = error ? said(error) : '';
  at('start-trouble').hidden = !error;
}
const ownTree = at('worktree');
function showTreeName() { at('tree-name').hidden = !ownTree.checked; }
const choices = at('start')?.elements;
/** Offers what the chosen project has. */
async function offered() {
  const project = choices.project.value;
  if (!project) return;
  const all = await choicesOf(project).catch(() => null);
  if (all && choices.project.value === project) {
    const { model, mode, effort } = choices;
    offer({ model, mode, effort }, all, [{ name: 'As the project says', value: 'project' }]);
  }
}
if (begins) {
  ownTree.addEventListener('change', showTreeName);
  // A browser may keep what was ticked over a reload.
  showTreeName();
  choices.project.addEventListener('change', offered);
  at('begin').addEventListener('toggle', () => { if (at('begin').open) offered(); });
}
function create() {
  at('begin').open = true;
  choices.project.focus();
}
palette({
  create: begins && create, failed: trouble,
  commands: () => ({
    ...(begins && { 'New session': create }), 'Archived sessions': () => { location.href = address('/?archived=true'); },
    Usage: () => { location.href = address('/usage'); }, 'Log in another device': () => at('device').click(), Keys: () => at('show-keys').click(),
  }),
});
at('logout').addEventListener('click', async () => {
  try {
    await forget();
    await call('POST', '/logout');
    location.reload();
  } catch (error) {
    trouble(error);
  }
});
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
device(trouble);
showCli(at('cli'));
load(true);
