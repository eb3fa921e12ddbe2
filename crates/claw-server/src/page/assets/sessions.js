// The page of all sessions.
import { choicesOf, offer } from './choices.js';
import { announce, at, call, make, said } from './common.js';
import { showCli } from './cli.js';
import { device } from './device.js';
import { liveList, phases } from './live_list.js';
import { forget } from './push.js';

const list = at('list');
const params = new URLSearchParams(location.search);
let cursor = null;

function trouble(error) {
  at('trouble').textContent = error ? said(error) : '';
  at('trouble').hidden = !error;
}

/** How long ago, in words. */
function ago(time) {
  const then = typeof time === 'number' ? time : Date.parse(time);
  if (!then) return '';
  const seconds = Math.max(0, (Date.now() - then) / 1000);
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, length] of [['day', 86_400], ['hour', 3_600], ['minute', 60]]) {
    if (seconds >= length) return words.format(-Math.floor(seconds / length), unit);
  }
  return 'just now';
}

function row(session) {
  const about = [ago(session.modified), session.branch, session.tag].filter(Boolean).join(' · ');
  const doing = make('span', { className: 'doing', textContent: phases[session.phase] ?? '' });
  const link = make('a', { href: `/s/${encodeURIComponent(session.id)}` },
    make('strong', { textContent: session.title || 'New session' }), make('small', {}, doing, make('span', { textContent: about })));
  const item = make('li', {}, link);
  item.dataset.session = session.id;
  return item;
}

/** The list of a project's sessions. */
function listOf(project) {
  let group = [...list.querySelectorAll('[data-project]')].find((it) => it.dataset.project === project);
  if (!group) {
    group = make('div', {}, make('h2', { className: 'project', textContent: project }), make('ul', { className: 'sessions' }));
    group.dataset.project = project;
    list.append(group);
  }
  return group.querySelector('ul');
}

const live = liveList({ list, listOf, row, isAll: !params.get('q') });

function show(sessions) {
  const items = [];
  for (const session of sessions) {
    if (live.has(session.id)) continue;
    const item = row(session);
    items.push(item);
    listOf(session.project).append(item);
  }
  live.added(items);
}

/** Shows where the text stands in conversations. */
function showHits(hits) {
  const found = make('ul', { className: 'sessions' });
  for (const hit of hits) {
    const id = encodeURIComponent(hit.sessionId);
    found.append(make('li', {}, make('a', { href: `/s/${id}` },
      make('strong', { textContent: hit.excerpt }), make('small', { textContent: [hit.kind, ago(hit.timestamp)].filter(Boolean).join(' · ') }))));
  }
  if (hits.length) list.append(make('h2', { className: 'project', textContent: 'In conversations' }), found);
}

async function load() {
  const query = params.get('q') ?? '';
  const path = new URLSearchParams();
  if (query) path.set('q', query);
  if (cursor) path.set('cursor', cursor);
  list.ariaBusy = 'true';
  try {
    const isFirst = !cursor;
    const page = await call('GET', `/api/sessions?${path}`);
    show(page.sessions);
    cursor = page.next;
    at('more').hidden = cursor == null;
    if (query && isFirst) showHits(await call('GET', `/api/search?${new URLSearchParams({ q: query })}`));
    if (!list.childElementCount) list.append(make('p', { className: 'empty', textContent: query ? 'Nothing was found.' : 'There are no sessions yet.' }));
    announce(`${list.querySelectorAll('li').length} sessions`);
    trouble(null);
  } catch (error) {
    trouble(error);
  } finally {
    list.ariaBusy = 'false';
  }
}

at('more').addEventListener('click', load);
at('start').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const wanted = { project: form.get('project') };
  if (form.get('mode') !== 'project') wanted.mode = form.get('mode');
  if (form.get('model') !== 'default') wanted.model = form.get('model');
  if (form.get('effort') !== 'default') wanted.effort = form.get('effort');
  const name = form.get('tree')?.trim();
  if (form.get('worktree')) wanted.worktree = { ...(name && { name }) };
  try {
    startTrouble(null);
    const session = await call('POST', '/api/sessions', wanted);
    location.href = `/s/${encodeURIComponent(session.id)}`;
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
ownTree.addEventListener('change', showTreeName);
// A browser may keep what was ticked over a reload.
showTreeName();
const choices = at('start').elements;
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
choices.project.addEventListener('change', offered);
at('begin').addEventListener('toggle', () => { if (at('begin').open) offered(); });
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
load();
