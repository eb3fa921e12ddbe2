// The page of what a session has changed: diffs that come when their file is unfolded.
import { activity, listen } from './activity.js';
import { comments } from './comments.js';
import { address, announce, at, call, make, may, said } from './common.js';
import { finish } from './finish.js';

const session = encodeURIComponent(document.body.dataset.session);
const sections = [...document.querySelectorAll('details.change')];
const equip = may('sendPrompt') ? commenting() : () => {};

/** Lets a person comment on the lines of the files. */
function commenting() {
  const main = at('main');
  const go = make('a', { className: 'button', href: address(`/s/${session}`), textContent: 'To the session' });
  const bar = make('section', { className: 'tray', ariaLabel: 'Comments', hidden: true });
  const lost = make('div', { id: 'lost', hidden: true }, make('h2', { textContent: 'On lines that are not shown any more' }));
  main.append(lost);
  main.after(bar);
  // A card of the conversation has the whole path of a file, and this page the path in the project.
  const isOf = (file, { path, card }) => path === file || (card && path.endsWith(`/${file}`));
  // A path can end with the names of several files. The longest one is the file.
  const longest = (a, b) => (a && a.dataset.file.length >= b.dataset.file.length ? a : b);
  const sectionOf = (comment) => sections.filter((it) => isOf(it.dataset.file, comment)).reduce(longest, undefined);
  return comments(document.body.dataset.session, { sectionOf, sections, main, bar, lost, go });
}

/** Shows the diff of a file. One that the page has without its lines is fetched, once. */
async function load(section) {
  const { path, loading } = section.dataset;
  if (path == null) {
    if (loading == null) equip(section);
    return;
  }
  section.dataset.loading = '';
  delete section.dataset.path;
  const body = section.querySelector('.body');
  try {
    const { html } = await call('GET', `/s/${session}/change?${new URLSearchParams({ path })}`);
    // The server has made and escaped it.
    body.innerHTML = html;
    equip(section);
  } catch (error) {
    section.dataset.path = path;
    const again = make('button', { type: 'button', textContent: 'Try again', onclick: () => load(section) });
    body.replaceChildren(make('p', { className: 'note bad', textContent: said(error) }), again);
  }
  delete section.dataset.loading;
}

for (const section of sections) section.addEventListener('toggle', () => { if (section.open) load(section); });
// What was unfolded when the reader went away is unfolded again by the browser.
for (const section of sections) if (section.open) load(section);

const unfold = at('unfold-all');
const isFolded = () => sections.some((it) => !it.open);
function label() { unfold.textContent = isFolded() ? 'Unfold all' : 'Fold all'; }
unfold.hidden = sections.length < 2;
unfold.addEventListener('click', () => {
  const open = isFolded();
  for (const section of sections) section.open = open;
  label();
  announce(open ? 'All files are unfolded' : 'All files are folded');
});
for (const section of sections) section.addEventListener('toggle', label);

// What is done with the worktree, if the session has one of its own.
const tree = at('finish') && finish(at('finish'), document.body.dataset.session);

// How many sessions ask.
listen({
  activity(now) {
    activity(now);
    tree?.(now);
  },
});
