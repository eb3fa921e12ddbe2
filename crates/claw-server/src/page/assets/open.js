// Opens a page. A browser sends no key when a person follows a link, so the page that it gets has nothing but this script.
import { address, at, call, key, keyed, LINK, make, Refused, said } from './common.js';

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

/** Fetches the page that the address is of, and shows it in the place of this one. */
async function show() {
  const answer = await fetch(location.href, { credentials: 'same-origin', headers: { accept: 'text/html', ...keyed } });
  const text = await answer.text();
  // Such as the metrics.
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return document.body.replaceChildren(make('pre', { textContent: text }));
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
