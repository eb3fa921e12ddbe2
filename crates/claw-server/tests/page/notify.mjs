// What pages say of sessions that somebody else looks at: notify.mjs SERVER DIRECTOR CHROMIUM PACKAGES
//
// CLAW_TEST_SCREENSHOTS names a folder for pictures of each state, in light and dark, narrow and wide.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { looking } from './look.mjs';
import { opened } from './opened.mjs';

const [server, director, executablePath, packages, pin] = process.argv.slice(2);
const require = createRequire(path.resolve(packages, 'package.json'));
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const pictures = process.env.CLAW_TEST_SCREENSHOTS;
const LIMIT = Number(process.env.PAGE_LIMIT ?? 60_000);
const failures = [];

const browser = await puppeteer.launch({
  executablePath, protocolTimeout: LIMIT, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...(pin ? [`--ignore-certificate-errors-spki-list=${pin}`] : [])],
});

async function direct(what) {
  const answer = await fetch(`${director}/${what}`, { method: 'POST' });
  assert.equal(answer.status, 200, what);
  return answer.json();
}

// That of the browser itself: others are private, and nothing is installed there.
const context = browser.defaultBrowserContext();
async function open(where) {
  const page = opened(await context.newPage());
  page.setDefaultTimeout(LIMIT);
  page.on('pageerror', (error) => failures.push(`${where}: ${error.stack}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) failures.push(`${where}: ${message.text()}`);
  });
  await page.setViewport({ width: 390, height: 844 });
  await page.goto(server + where);
  return page;
}

/** A call of the API, as a page makes it. */
const call = (page, method, where, body) => page.evaluate(async (method, where, body) => {
  const answer = await fetch(where, { method, headers: { 'content-type': 'application/json', 'x-claw-key': localStorage.getItem('claw.key') }, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}, method, where, body);

const waits = (page, what, ...given) => page.waitForFunction(what, { polling: 50 }, ...given);
const title = (page, text) => waits(page, (text) => document.title === text, text);
const rows = (page, place) => page.$$eval(`${place} li a`, (all) => all.filter((it) => it.checkVisibility()).map((it) => it.innerText.replaceAll('\n', ' | ')));

const size = (page, width) => page.setViewport({ width, height: width < 600 ? 844 : 800 });
const look = looking({ axe, failures, size, pictures, begin: 'notify-' });

async function begin(page, project, text) {
  const { id } = await call(page, 'POST', '/api/sessions', { project });
  await call(page, 'POST', `/api/sessions/${id}/prompts`, { text });
  return id;
}

async function deny(page, id) {
  const { requests: [request] } = await call(page, 'GET', `/api/sessions/${id}`);
  await call(page, 'POST', `/api/sessions/${id}/requests/${request.id}`, { decision: 'deny' });
}

const steps = {
  async 'a session that asks stands on top of the list, marked, and in the title'() {
    const { home } = pages;
    await waits(home, () => document.querySelector('.empty'));
    pages.first = await begin(home, 'claw', 'Run the tests');
    await title(home, '(1) Sessions');
    assert.deepEqual(await rows(home, '#asking'), ['Run the tests | asks youjust nowclaw']);
    assert.deepEqual(await rows(home, '#list'), []);
    assert.equal(await home.$('.empty'), null);
    pages.second = await begin(home, 'shop', 'What is in this folder, and how long has it been there, of all things?');
    await title(home, '(2) Sessions');
    const all = await rows(home, '#asking');
    assert.deepEqual(all.map((it) => it.split(' ')[0]), ['Run', 'What'], 'oldest first');
    await look(home, 'list');
    // What a page is that loads now.
    await home.reload();
    await title(home, '(2) Sessions');
    assert.equal((await rows(home, '#asking')).length, 2);
  },

  async 'each page says how many others ask, and one tap leads there'() {
    const page = await open('/usage');
    await title(page, '(2) Usage');
    assert.equal(await page.$eval('#others', (it) => it.innerText), '2 ask');
    // The one that has waited for the longest time comes first.
    assert.equal(await page.$eval('#others', (it) => new URL(it.href).pathname), `/s/${pages.first}`);
    await page.goto(`${server}/s/${pages.first}`);
    await title(page, '(2) Run the tests');
    await waits(page, () => document.getElementById('others').innerText === '1 asks');
    await page.waitForSelector('#requests form');
    await look(page, 'others');
    // What is seen whole needs no way to it.
    await size(page, 1280);
    await waits(page, () => document.getElementById('newer').hidden);
    await size(page, 390);
    await page.click('#others');
    await waits(page, (id) => location.pathname === `/s/${id}`, pages.second);
    pages.session = page;
  },

  async 'a link of another site, such as a chat, leads to the session with one more tap'() {
    const page = await open('/usage');
    await page.goto(`data:text/html,<a href="${server}/s/${pages.first}">A session asks</a>`);
    await Promise.all([page.waitForNavigation(), page.click('a')]);
    await waits(page, () => document.body.innerText.includes('came by a link from elsewhere'));
    await look(page, 'elsewhere');
    await Promise.all([page.waitForNavigation(), page.click('main a')]);
    await page.waitForSelector('#requests form');
    await page.close();
  },

  async 'what is answered leaves the top, also for who is there with the keyboard'() {
    const { home, session } = pages;
    await home.bringToFront();
    await home.focus(`#asking [data-session="${pages.first}"] a`);
    await deny(session, pages.first);
    await title(home, '(1) Sessions');
    assert.equal((await rows(home, '#asking')).length, 1);
    await waits(home, (id) => document.activeElement.closest('li')?.dataset.session === id, pages.first);
    assert.match((await rows(home, '#list')).join(), /Run the tests/);
    assert.equal(await session.$eval('#others', (it) => it.checkVisibility()), false);
    await deny(session, pages.second);
    await title(home, 'Sessions');
    assert.deepEqual(await rows(home, '#asking'), []);
    assert.equal(await home.$eval('#asking', (it) => it.checkVisibility()), false);
  },

  async 'the page can be installed'() {
    const { home } = pages;
    const client = await home.createCDPSession();
    const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
    assert.deepEqual(installabilityErrors, []);
    const { url, errors, data } = await client.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
    for (const { src, sizes } of JSON.parse(data).icons.filter((it) => it.sizes !== 'any')) {
      const size = await home.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, new URL(src, url).href);
      assert.equal(size, sizes);
    }
  },

  async 'the service worker keeps the files of the page, and nothing that was said'() {
    const { home } = pages;
    await home.evaluate(async () => { await navigator.serviceWorker.ready; });
    // With the worker there, everything is visited once.
    for (const where of ['/', '/?q=tests', '/usage', `/s/${pages.first}`, '/']) {
      await home.goto(server + where);
      await waits(home, () => navigator.serviceWorker.controller);
    }
    await call(home, 'GET', '/api/sessions');
    const kept = await home.evaluate(async () => {
      const all = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          const text = await (await cache.match(request)).text();
          all.push({ name, path: new URL(request.url).pathname, isSaid: text.includes('Run the tests') });
        }
      }
      return all;
    });
    // Beside the files is the key of the pages, for the worker's own calls.
    const shell = kept.filter((it) => it.name !== 'claw-key');
    const names = shell.map((it) => it.path.split('/').at(-1));
    for (const name of ['page.css', 'open.js', 'sessions.js', 'session.js', 'changes.js', 'usage.js']) assert.ok(names.includes(name), `${name}: ${names}`);
    assert.equal(new Set(shell.map((it) => it.name)).size, 1);
    for (const { path, isSaid } of shell) assert.ok(path.startsWith('/assets/') && !isSaid, path);
    assert.deepEqual(kept.filter((it) => it.name === 'claw-key').map(({ path, isSaid }) => [path, isSaid]), [['/key', false]]);
  },

  async 'without the server a page says so, and the shell comes from the browser'() {
    const { home } = pages;
    const client = await (await browser.waitForTarget((it) => it.type() === 'service_worker')).createCDPSession();
    await client.send('Network.enable');
    const conditions = (offline) => ({ offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await client.send('Network.emulateNetworkConditions', conditions(true));
    await home.goto(`${server}/usage`);
    await waits(home, () => document.body.innerText.includes('The server cannot be reached.'));
    await look(home, 'offline');
    await client.send('Network.emulateNetworkConditions', conditions(false));
    await home.click('a');
    await title(home, 'Usage');
  },

  async 'the switch for notifications says what the browser says'() {
    const { home } = pages;
    await context.overridePermissions(server, []);
    await home.goto(`${server}/`);
    await waits(home, () => document.querySelector('#notices').checkVisibility());
    assert.match(await home.$eval('#notices', (it) => it.innerText), /The browser refuses notifications/);
    await context.overridePermissions(server, ['notifications']);
    // No push service can be reached here: what the browser would say is put into its mouth.
    await home.evaluateOnNewDocument(() => {
      let kept = null;
      PushManager.prototype.getSubscription = async () => kept;
      PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
        if (!window.service) throw new DOMException('Registration failed - push service error', 'AbortError');
        const { key, endpoint } = window.service;
        const toJSON = () => ({ endpoint, expirationTime: null, keys: { p256dh: key, auth: 'AAAAAAAAAAAAAAAAAAAAAA' } });
        kept = { endpoint, toJSON, options: { applicationServerKey: applicationServerKey.buffer }, unsubscribe: async () => { kept = null; } };
        return kept;
      };
    });
    await home.reload();
    const box = await home.waitForSelector('#notices input');
    const told = (text) => waits(home, (text) => document.querySelector('#notices .note').innerText === text, text);
    const isOn = () => box.evaluate((it) => it.checked && !it.disabled);
    assert.equal(await isOn(), false);
    await box.evaluate((it) => it.scrollIntoView({ block: 'center' }));
    await box.click();
    await told('Registration failed - push service error');
    assert.equal(await isOn(), false);
    await look(home, 'refused');
    // The server refuses an address inside its own network.
    const service = (endpoint) => home.evaluate(async (endpoint) => {
      const { key } = await (await fetch('/push/key', { headers: { 'x-claw-key': localStorage.getItem('claw.key') } })).json();
      window.service = { key, endpoint };
    }, endpoint);
    await service('https://10.0.0.1/x');
    await box.click();
    await told('the push service is not on the internet');
    assert.equal(await isOn(), false);
    await service(`${director}/push`);
    await box.click();
    await waits(home, () => document.querySelectorAll('#notices label')[1].checkVisibility());
    assert.equal(await isOn(), true);
    assert.equal(await direct('devices'), 1);
    await look(home, 'switch');
    await box.click();
    await waits(home, () => !document.querySelectorAll('#notices label')[1].checkVisibility());
    assert.equal(await direct('devices'), 0);
  },

  async 'a notification allows what it shows whole, and a late answer is told'() {
    const { home } = pages;
    await home.goto(`${server}/s/${pages.first}`);
    await call(home, 'POST', `/api/sessions/${pages.first}/prompts`, { text: 'Once more' });
    await home.waitForSelector('#requests form');
    const { requests: [{ id }] } = await call(home, 'GET', `/api/sessions/${pages.first}`);
    const target = await browser.waitForTarget((it) => it.type() === 'service_worker');
    const worker = await target.worker();
    /** Has an event come to the worker, waits for what comes of it, and gives the notifications that are there then. */
    const happens = (kind, given) => worker.evaluate(async (kind, given) => {
      const event = kind === 'push' ? new PushEvent('push', { data: JSON.stringify(given) })
        : new NotificationEvent('notificationclick', { notification: (await registration.getNotifications())[0], action: given });
      const done = [];
      event.waitUntil = (it) => done.push(it);
      dispatchEvent(event);
      await Promise.all(done);
      const all = await registration.getNotifications();
      return all.map((it) => ({ title: it.title, body: it.body, actions: it.actions.map((it) => it.action) }));
    }, kind, given);
    /** What a message is shown as, with nothing else beside it. */
    const shown = async (message) => {
      await worker.evaluate(async () => {
        for (;;) {
          const all = await registration.getNotifications();
          if (!all.length) return;
          all.forEach((it) => it.close());
        }
      });
      const all = await happens('push', message);
      assert.equal(all.length, 1);
      return all[0];
    };
    const base = { kind: 'request', session: pages.first, project: 'claw', title: 'Once more' };
    const without = await shown({ ...base, text: null, request: null });
    assert.deepEqual(without, { title: 'Claude asks: claw', body: 'Once more', actions: ['open'] });
    const whole = await shown({ ...base, text: 'Bash: cargo test', request: id });
    assert.deepEqual(whole, { title: 'Claude asks: claw', body: 'Bash: cargo test', actions: ['allow', 'deny'] });
    await happens('click', 'allow');
    await waits(home, () => document.body.innerText.includes('allowed by a notification'));
    await shown({ ...base, text: 'Bash: cargo test', request: id });
    const late = (await happens('click', 'deny')).find((it) => it.title !== 'Claude asks: claw');
    assert.equal(late.title, 'The answer does not count');
    assert.match(late.body, /answered before, by a notification/);
    assert.deepEqual(late.actions, ['open']);
  },

  async 'a notification is withdrawn when its request is answered elsewhere'() {
    const { home } = pages;
    const target = await browser.waitForTarget((it) => it.type() === 'service_worker');
    const worker = await target.worker();
    const there = () => worker.evaluate(async () => (await registration.getNotifications()).map((it) => it.body));
    const push = (given) => worker.evaluate(async (given) => {
      const event = new PushEvent('push', { data: JSON.stringify(given) });
      const done = [];
      event.waitUntil = (it) => done.push(it);
      dispatchEvent(event);
      await Promise.all(done);
    }, given);
    const ask = async () => {
      await call(home, 'POST', `/api/sessions/${pages.first}/prompts`, { text: 'And again' });
      await home.waitForSelector('#requests form');
      const { requests: [{ id }] } = await call(home, 'GET', `/api/sessions/${pages.first}`);
      await push({ kind: 'request', session: pages.first, project: 'claw', text: 'Bash: cargo test', request: id });
      await push({ kind: 'request', session: pages.second, project: 'shop', text: 'Bash: ls', request: 'another' });
      assert.deepEqual((await there()).filter((it) => it.startsWith('Bash: ')).sort(), ['Bash: cargo test', 'Bash: ls']);
      return id;
    };
    await ask();
    await title(home, '(1) Run the tests');
    await deny(home, pages.first);
    for (;;) {
      const bodies = await there();
      assert.ok(bodies.includes('Bash: ls'));
      if (!bodies.includes('Bash: cargo test')) break;
    }
    // Without a page, the next notification of the session does it.
    const elsewhere = pages.home.url();
    await ask();
    await home.goto('about:blank');
    await push({ kind: 'finished', session: pages.first, project: 'claw', title: 'It is done', text: null, request: null });
    assert.deepEqual((await there()).filter((it) => it.startsWith('Bash: ')), ['Bash: ls']);
    assert.ok((await there()).includes('It is done'));
    await home.goto(elsewhere);
    await deny(home, pages.first);
  },

  async 'the real claude: a notification allows its command'() {
    const { home } = pages;
    const id = await begin(home, 'real', 'Make a file');
    await home.goto(`${server}/s/${id}`);
    await home.waitForSelector('#requests form');
    const { requests: [request] } = await call(home, 'GET', `/api/sessions/${id}`);
    assert.equal(await direct('made'), false);
    const target = await browser.waitForTarget((it) => it.type() === 'service_worker');
    const worker = await target.worker();
    await worker.evaluate(async (data) => {
      const happens = async (event) => {
        const done = [];
        event.waitUntil = (it) => done.push(it);
        dispatchEvent(event);
        await Promise.all(done);
      };
      await happens(new PushEvent('push', { data: JSON.stringify(data) }));
      const notification = (await registration.getNotifications()).find((it) => it.body === data.text);
      await happens(new NotificationEvent('notificationclick', { notification, action: 'allow' }));
    }, { kind: 'request', session: id, project: 'real', text: 'Bash: touch made', request: request.id });
    await waits(home, () => document.body.innerText.includes('The file is there.'));
    assert.equal(await direct('made'), true);
  },

  async 'without TLS there are the steps for a new device, and the way to the page'() {
    const page = await open('/');
    await page.goto(`${server.replace('https:', 'http:')}/`);
    assert.match(await page.evaluate(() => document.body.innerText), /Certificate Trust Settings[^]*Install anyway/);
    assert.deepEqual(await page.evaluate(() => [document.cookie, document.scripts.length]), ['', 0]);
    await look(page, 'steps');
    await Promise.all([page.waitForNavigation(), page.click('a[href^="https:"]')]);
    assert.equal(page.url(), `${server}/`);
    // A page without TLS is another site.
    await Promise.all([page.waitForNavigation(), page.click('main a')]);
    await page.waitForSelector('#sound');
    await page.close();
  },

  async 'a sound is played when a session asks, and only where a person turned it on'() {
    const { home } = pages;
    await home.evaluateOnNewDocument(() => {
      window.sounds = 0;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function begin(...given) { window.sounds += 1; return start.apply(this, given); };
    });
    const sounds = () => home.evaluate(() => window.sounds);
    // One page alone plays it, and this one has no counter.
    await pages.session.close();
    // A page in the background is not clicked.
    await home.bringToFront();
    await home.goto(`${server}/`);
    await title(home, 'Sessions');
    const box = await home.waitForSelector('#sound');
    assert.equal(await box.evaluate((it) => it.checked), false);
    await call(home, 'POST', `/api/sessions/${pages.first}/prompts`, { text: 'Without a sound' });
    await title(home, '(1) Sessions');
    await deny(home, pages.first);
    await title(home, 'Sessions');
    assert.equal(await sounds(), 0);
    await box.click();
    await waits(home, () => window.sounds === 1);
    await look(home, 'sound');
    await waits(home, async () => !(await navigator.locks.query()).held.some((it) => it.name === 'claw-sound'));
    await call(home, 'POST', `/api/sessions/${pages.first}/prompts`, { text: 'With a sound' });
    await waits(home, () => window.sounds === 2);
    // It is kept, and what asks already is nothing new.
    await home.reload();
    await title(home, '(1) Sessions');
    assert.equal(await home.$eval('#sound', (it) => it.checked), true);
    assert.equal(await sounds(), 0);
    await home.click('#sound');
    assert.equal(await home.evaluate(() => localStorage.getItem('claw.sound/')), 'no');
    await deny(home, pages.first);
    await title(home, 'Sessions');
  },
};

const pages = {};
try {
  const login = await open(await direct('login'));
  await login.close();
  pages.home = await open('/');
  for (const [name, step] of Object.entries(steps)) {
    const start = Date.now();
    try {
      await step();
    } catch (error) {
      throw new Error(`${name}: ${error.stack}\n${await pages.home?.evaluate(() => document.body.innerText)}\n${failures.join('\n')}`);
    }
    console.log(`ok: ${name} (${Date.now() - start} ms)`);
  }
  assert.deepEqual(failures, []);
  console.log('all is well');
} finally {
  await browser.close();
}
