// The page under a path of another program: embedded.mjs SERVER DIRECTOR CHROMIUM PACKAGES
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { opened } from './opened.mjs';

const [server, director, executablePath, packages] = process.argv.slice(2);
const require = createRequire(path.resolve(packages, 'package.json'));
const puppeteer = require('puppeteer-core');
const LIMIT = Number(process.env.PAGE_LIMIT ?? 60_000);
const BASE = '/agents';
const KEY = `claw.key${BASE}`;
const failures = [];
const asked = [];

const browser = await puppeteer.launch({
  executablePath, protocolTimeout: LIMIT, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
// That of the browser itself: others are private, and no worker is installed there.
const page = opened(await browser.defaultBrowserContext().newPage());
page.setDefaultTimeout(LIMIT);
page.on('pageerror', (error) => failures.push(error.stack));
page.on('console', (message) => {
  if (/Content Security Policy|Refused to/.test(message.text())) failures.push(message.text());
});
page.on('response', (answer) => {
  const { protocol, pathname } = new URL(answer.url());
  // Chromium's own pictures are in the address.
  if (protocol === 'http:') asked.push([answer.request().method(), pathname, answer.status()]);
});

async function direct(what, body = null) {
  const answer = await fetch(`${director}/${what}`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, what);
  return answer.json();
}

const shows = (text) => page.waitForFunction((text) => document.body.innerText.includes(text), { polling: 50 }, text);
const phase = (name) => page.waitForSelector(`#phase[data-phase=${name}]`);
const press = async (text) => {
  const button = await page.waitForSelector(`::-p-xpath(//button[normalize-space(.)="${text}"])`, { visible: true });
  await button.evaluate((it) => it.scrollIntoView({ block: 'center' }));
  await button.click();
};
const where = () => new URL(page.url()).pathname;
/** The statuses of calls of the host program's own page, with this key: one that changes something, and one that reads. */
const call = (key) => page.evaluate(async (base, key) => {
  const headers = { 'content-type': 'application/json', ...(key && { 'x-claw-key': key }) };
  const changed = await fetch(`${base}/api/sessions`, { method: 'POST', headers, body: JSON.stringify({ project: 'shop' }) });
  const read = await fetch(`${base}/api/sessions`, { headers });
  return [changed.status, read.status];
}, BASE, key);

let session = null;

const steps = {
  async 'the host program has its own page, and a stranger is told how to log in'() {
    await page.goto(`${server}/`);
    await shows('My application.');
    const answer = await page.goto(server + BASE);
    assert.equal(answer.status(), 401);
    await shows('Open a login link');
  },

  async 'a login link leads to the page'() {
    await page.goto(server + BASE + await direct('login'));
    assert.equal(where(), BASE);
    await shows('There are no sessions yet.');
    const cookies = await browser.cookies();
    assert.deepEqual(cookies.map((it) => it.path), [BASE]);
    assert.match(await page.evaluate((name) => localStorage.getItem(name), KEY), /^[0-9a-f]{64}$/);
  },

  async 'a session is begun, and its answer is shown while it grows'() {
    await page.click('#begin > summary');
    await press('Start');
    await phase('idle');
    session = where();
    assert.match(session, /^\/agents\/s\/[0-9a-f-]{36}$/);
    await page.type('#prompt', 'Hello');
    await press('Send');
    await shows('Half of');
    await phase('running');
    await direct('open', 'half');
    await shows('and the rest.');
    await phase('idle');
    // Again from the server, with its styles.
    await page.reload();
    await shows('and the rest.');
    await phase('idle');
    assert.ok(await page.evaluate(() => document.styleSheets.length > 0 && document.styleSheets[0].cssRules.length > 0));
  },

  async 'the worker is of the path alone'() {
    const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
    assert.equal(new URL(scope).pathname, BASE);
    // What it keeps for a page without a network.
    const kept = await page.evaluate(async () => {
      const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      const requests = await Promise.all(stores.map((store) => store.keys()));
      return requests.flat().map((it) => new URL(it.url).pathname);
    });
    assert.ok(kept.length > 0 && kept.every((it) => it === BASE || it.startsWith(`${BASE}/`)), kept.join(' '));
    const manifest = await page.$eval('link[rel=manifest]', (it) => fetch(it.href).then((answer) => answer.json()));
    assert.deepEqual([manifest.start_url, manifest.scope], [BASE, BASE]);
  },

  async 'the list leads to the session, and back'() {
    await page.goto(server + BASE);
    const link = await page.waitForSelector('#list li a');
    await Promise.all([page.waitForNavigation(), link.click()]);
    assert.equal(where(), session);
    await page.goto(`${server}${BASE}/usage`);
    assert.equal(where(), `${BASE}/usage`);
  },

  async 'nothing was asked for outside of the path, and nothing was missing'() {
    const outside = asked.filter(([, it]) => it !== BASE && !it.startsWith(`${BASE}/`) && !['/', '/favicon.ico'].includes(it));
    assert.deepEqual(outside, []);
    const missing = asked.filter(([, it, status]) => status >= 400 && it !== '/favicon.ico' && !(it === BASE && status === 401));
    assert.deepEqual(missing, []);
    const kinds = ['/assets/', '/api/', '/stream'];
    for (const kind of kinds) assert.ok(asked.some(([, it]) => it.includes(kind)), kind);
  },

  async 'a page of the host program acts with the key of the pages, and with no other'() {
    await page.goto(`${server}/`);
    const key = await page.evaluate((name) => localStorage.getItem(name), KEY);
    assert.deepEqual(await call(key), [201, 200]);
    assert.deepEqual(await call(null), [403, 403]);
    assert.deepEqual(await call('0'.repeat(64)), [403, 403]);
  },

  async 'log out'() {
    await page.goto(server + BASE);
    await press('Log out');
    await shows('Open a login link');
    const answer = await page.goto(server + session);
    assert.equal(answer.status(), 401);
  },
};

try {
  for (const [name, step] of Object.entries(steps)) {
    console.log(`${name} …`);
    await step();
    assert.deepEqual(failures, [], name);
  }
} catch (error) {
  console.error(where(), await page.evaluate(() => document.body.innerText).catch(() => ''));
  throw error;
} finally {
  await browser.close();
}
