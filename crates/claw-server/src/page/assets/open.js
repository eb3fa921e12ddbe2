// Opens a page. A browser sends no key when a person follows a link, so the page that it gets has nothing but this script.
import { address, at, call, key, keyed, LINK, listenAt, make, Refused, said } from './common.js';

/** The page stays, and says why. */
function stay(text) {
  document.querySelector('header').hidden = false;
  at('trouble').textContent = text;
  at('trouble').hidden = false;
  at('main').ariaBusy = 'false';
}

/** Waits until somebody sees the page. Browsers load some pages in advance. */
const seen = () => new Promise((done) => {
  if (document.visibilityState === 'visible') done();
  else document.addEventListener('visibilitychange', done, { once: true });
});

const login = address('/login/');

/** Uses up the login link. */
async function logIn() {
  await seen();
  await call('POST', `/login/${location.pathname.slice(login.length)}`);
  location.replace(address('/'));
}

/** The script of the page that the address is of. */
function scriptOf(path) {
  if (path === address('/')) return 'sessions.js';
  const [, session, more] = path.match(/\/(s\/[^/]+|usage)(\/changes)?$/) ?? [];
  if (session === 'usage') return 'usage.js';
  return session && (more ? 'changes.js' : 'session.js');
}

/**
 * Has the browser load the script of the page, and the events of a session, while the server still makes the page. Ends when
 * the script is there, or cannot be loaded.
 */
async function preload() {
  const script = scriptOf(location.pathname);
  if (script === 'session.js') {
    const path = `${location.pathname.slice(address('/s').length - 2)}/stream?list=true`;
    const control = new AbortController();
    // The session that the address names, even if its conversation has gone on under another one.
    const asked = listenAt(`${path}&exact=true`, control.signal);
    asked.catch(() => {}); // `stream.js` reports it.
    globalThis.ahead = { path, control, asked };
  }
  const link = make('link', { rel: 'modulepreload' });
  if (!script || !link.relList.supports('modulepreload')) return;
  await new Promise((done) => {
    Object.assign(link, { onload: done, onerror: done, href: new URL(script, import.meta.url).href });
    document.head.append(link);
  });
}

/** Fetches the page that the address is of, and shows it in the place of this one. */
async function show() {
  const asked = fetch(location.href, { credentials: 'same-origin', headers: { accept: 'text/html', ...keyed } });
  const preloaded = preload();
  const answer = await asked;
  const text = await answer.text();
  // Such as the metrics.
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return document.body.replaceChildren(make('pre', { textContent: text }));
  // What a person does with a page before its script is there would be lost.
  await preloaded;
  const page = new DOMParser().parseFromString(text, 'text/html');
  document.title = page.title;
  document.body.replaceWith(page.body);
  for (const script of page.querySelectorAll('script[src]')) import(script.getAttribute('src'));
}

async function open() {
  try {
    if (!key) throw new Refused(0, { message: 'This browser keeps nothing for this page, so it cannot be logged in.' });
    await (location.pathname.startsWith(login) ? logIn() : show());
  } catch (error) {
    const isUsed = error.status === 403 && location.pathname.startsWith(login);
    stay(isUsed ? `This login link was used before, or it is too old. ${LINK}` : said(error));
    if (isUsed) at('main').append(make('p', {}, 'If this browser is logged in already: ', make('a', { href: address('/'), textContent: 'go to the sessions' })));
  }
}
open();
