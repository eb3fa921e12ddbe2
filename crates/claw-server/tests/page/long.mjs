// Reads a conversation of ten thousand elements in Chromium: long.mjs SERVER DIRECTOR CHROMIUM PACKAGES SESSION
//
// It prints how long things take with the processor slowed down four times, as a phone's is. CLAW_TEST_SCREENSHOTS names a
// folder for pictures.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { looking } from './look.mjs';
import { opened } from './opened.mjs';

const [server, director, executablePath, packages, session] = process.argv.slice(2);
const require = createRequire(path.resolve(packages, 'package.json'));
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const pictures = process.env.CLAW_TEST_SCREENSHOTS;
const LIMIT = Number(process.env.PAGE_LIMIT ?? 60_000);
const SLOWER = 4;
/** What a page of a conversation may have in its document, however long the conversation is. */
const MOST_NODES = 3000;
/** On a machine that does much else. The figures in docs/performance.md are of a quiet one. */
const FIRST_CONTENT = 20_000;
const KEY = 1000;
const where = `/s/${session}`;

const browser = await puppeteer.launch({
  executablePath, protocolTimeout: LIMIT, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const failures = [];

async function direct(what, body = null) {
  const answer = await fetch(`${director}/${what}`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, what);
  return answer.json();
}

/** A tab of a browser that is logged in. */
async function tab(width = 1280) {
  const context = await browser.createBrowserContext();
  const page = opened(await context.newPage());
  page.setDefaultTimeout(LIMIT);
  page.on('pageerror', (error) => failures.push(error.stack));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) failures.push(message.text());
  });
  await page.setViewport({ width, height: width < 600 ? 844 : 800 });
  await page.goto(server + await direct('login'));
  return page;
}

async function open(address = where, width = 1280) {
  const page = await tab(width);
  await page.goto(server + address);
  await page.waitForSelector('#log > section');
  return page;
}

// By time: a page that was frozen draws no frames.
const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
const shows = (page, text) => until(page, (text) => document.getElementById('log').innerText.includes(text), text);
const phase = (page, name) => page.waitForSelector(`#phase[data-phase=${name}]`);
const frames = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
}));
const idsOf = (page) => page.$$eval('#log > section', (all) => all.map((it) => it.id));
const nodesOf = (page) => page.evaluate(() => {
  const walker = document.createTreeWalker(document);
  let nodes = 1;
  while (walker.nextNode()) nodes += 1;
  return nodes;
});
/** What the reader sees: the first element in the middle third of the window. */
const eyeOf = (page) => page.evaluate(() => {
  const it = [...document.querySelectorAll('#log > section')].find((it) => it.getBoundingClientRect().bottom > innerHeight / 3);
  return { id: it.id, y: it.getBoundingClientRect().top };
});
const placeOf = (page, id) => page.$eval(`[id="${id}"]`, (it) => it.getBoundingClientRect().top);
const isAtEnd = (page) => page.evaluate(() => innerHeight + scrollY >= document.documentElement.scrollHeight - 2);

/** The IDs of the whole conversation on the page, from the API. */
const all = (page) => page.evaluate(async (session) => {
  const elements = await (await fetch(`/api/sessions/${session}/elements`, { headers: { 'x-claw-key': localStorage.getItem('claw.key') } })).json();
  return elements.map((it) => `e-${it.id}`);
}, session);

/** What is in the document follows each other in the conversation, and is little. */
async function isWindow(page, { newest } = {}) {
  // At one moment: the window may still change.
  const { there, count } = await page.$eval('#log', (it) => ({
    there: [...it.querySelectorAll(':scope > section')].map((section) => section.id), count: it.childNodes.length,
  }));
  const whole = await all(page);
  const at = whole.indexOf(there[0]);
  assert.ok(at >= 0, there[0]);
  assert.deepEqual(there, whole.slice(at, at + there.length));
  if (newest !== undefined) assert.equal(at + there.length === whole.length, newest);
  const nodes = await nodesOf(page);
  assert.ok(nodes <= MOST_NODES, `${nodes} nodes`);
  // What an operation replaces leaves nothing behind.
  assert.equal(count, there.length);
}

/** The reader sees the same thing in the same place. */
async function isStill(page, { id, y }) {
  await frames(page);
  const now = await placeOf(page, id);
  assert.ok(Math.abs(now - y) <= 2, `${id} moved from ${y} to ${now}`);
}

/** Goes far up, in several steps. */
async function goUp(page, times) {
  for (let n = 0; n < times; n++) {
    const [first] = await idsOf(page);
    await page.evaluate(() => scrollBy({ top: -scrollY + 200, behavior: 'instant' }));
    await until(page, (first) => document.querySelector('#log > section').id !== first, first);
    await frames(page);
  }
}

/** Holds back the server's answers to what the page fetches. Gives what lets them go. */
async function held(page) {
  const client = await page.createCDPSession();
  let came;
  const first = new Promise((done) => { came = done; });
  const paused = [];
  client.on('Fetch.requestPaused', ({ requestId }) => { paused.push(requestId); came(); });
  await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/elements?*', requestStage: 'Response' }] });
  return {
    first,
    async release() {
      for (const requestId of paused) await client.send('Fetch.continueRequest', { requestId });
      await client.send('Fetch.disable');
      await client.detach();
    },
  };
}

/** Sends a prompt by another hand. */
const prompt = (page, text) => page.evaluate(async (session, text) => {
  const headers = { 'content-type': 'application/json', 'x-claw-key': localStorage.getItem('claw.key') };
  const answer = await fetch(`/api/sessions/${session}/prompts`, { method: 'POST', headers, body: JSON.stringify({ text }) });
  if (!answer.ok) throw new Error(await answer.text());
}, session, text);

const size = (page, width) => page.setViewport({ width, height: width < 600 ? 844 : 800 });
const looks = looking({ axe, failures, size, pictures, begin: 'long-' });
async function look(page, name) {
  await looks(page, name);
  await size(page, 1280);
}

async function find(page, text) {
  await page.$eval('#find', (it) => it.click());
  await page.$eval('#sought', (it) => { it.value = ''; });
  await page.type('#sought', text);
}
const foundAs = (page, text) => until(page, (text) => document.querySelector('#finder output').textContent === text, text);
/** Whether the marked element has the text, and is in sight. */
const isFound = (page, text) => until(page, (text) => {
  const it = document.querySelector('#log > .found');
  const ranges = [...(CSS.highlights.get('found') ?? [])];
  const box = ranges[0]?.getBoundingClientRect();
  return it?.innerText.toLowerCase().includes(text) && box.height > 0 && box.top > 0 && box.bottom < innerHeight;
}, text);

/** Opens the page on a slow processor. Gives the milliseconds until there is content. */
async function firstContent(page) {
  const client = await page.createCDPSession();
  await client.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  const script = await page.evaluateOnNewDocument(() => {
    window.first = new Promise((done) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('#log > section')) return;
        observer.disconnect();
        // A task behind the next frame: then it is drawn.
        requestAnimationFrame(() => setTimeout(() => done(performance.now())));
      }).observe(document, { childList: true, subtree: true });
    });
  });
  await page.goto(server + where);
  const first = await page.evaluate(() => window.first);
  await page.removeScriptToEvaluateOnNewDocument(script.identifier);
  return { client, first };
}

const steps = {
  async 'the first content, nodes and keys on a slow processor'() {
    const page = await tab();
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const cold = await firstContent(page);
    // The events are asked for once, beside the page, and the script of the page goes on with them.
    const events = asked.filter((path) => path.endsWith('/stream'));
    assert.deepEqual(events, [`${where}/stream`]);
    assert.ok(asked.indexOf(events[0]) < asked.findIndex((path) => path.endsWith('/session.js')), asked.join());
    // There is one script of the page, and one style sheet.
    const loaded = asked.map((path) => path.split('/').at(-1)).filter((name) => /\.(js|css)$/.test(name));
    assert.deepEqual(loaded.sort(), ['open.js', 'page.css', 'session.js']);
    const whole = await all(page);
    assert.ok(whole.length >= 10_000, `${whole.length} elements`);
    const warm = await firstContent(page);
    const nodes = await nodesOf(page);
    await phase(page, 'idle');
    await page.focus('#prompt');
    await page.evaluate(() => {
      window.keys = [];
      addEventListener('keydown', () => {
        const start = performance.now();
        requestAnimationFrame(() => setTimeout(() => window.keys.push(performance.now() - start)));
      }, true);
    });
    await cold.client.send('Performance.enable');
    const layouts = async () => {
      const { metrics } = await cold.client.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'LayoutCount').value;
    };
    const before = await layouts();
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press(n % 10 === 9 ? 'Space' : 'a');
      await until(page, (n) => window.keys.length > n, n);
    }
    const each = (await layouts() - before) / 40;
    const keys = (await page.evaluate(() => window.keys)).sort((a, b) => a - b);
    const [median, most] = [keys[20], keys[39]];
    const ms = (value) => `${Math.round(value)} ms`;
    console.log(`${whole.length} elements, processor slowed ${SLOWER} times: first content ${ms(cold.first)} when the session is read `
      + `from disk, ${ms(warm.first)} after that; ${nodes} nodes; ${median.toFixed(1)} ms a key (most ${ms(most)}), ${each} layouts a key`);
    assert.ok(nodes <= MOST_NODES, `${nodes} nodes`);
    // The field's own, in its frame: nothing measures it.
    assert.ok(each <= 1.5, `${each} layouts a key`);
    assert.ok(warm.first < FIRST_CONTENT && median < KEY);
    await isWindow(page, { newest: true });
    assert.ok(await isAtEnd(page));
    await until(page, () => document.querySelectorAll('#log > section').length >= 84);
    await page.browserContext().close();
  },

  async 'older elements come without a jump, and what is far away goes'() {
    const page = await open();
    const answers = await held(page);
    const [first] = await idsOf(page);
    await page.evaluate(() => scrollTo({ top: 300, behavior: 'instant' }));
    await answers.first;
    await frames(page);
    const seen = await eyeOf(page);
    await answers.release();
    await until(page, (first) => document.querySelector('#log > section').id !== first, first);
    await isStill(page, seen);
    await goUp(page, 12);
    await isWindow(page, { newest: false });
    await look(page, 'older');
    // And down again, by the keyboard, to the end.
    for (let n = 0; n < 3; n++) {
      const last = (await idsOf(page)).at(-1);
      await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }));
      await until(page, (last) => document.querySelector('#log > section:last-of-type').id !== last, last);
      await frames(page);
    }
    await isWindow(page, { newest: false });
    await page.focus('#fork');
    await page.keyboard.press('Home');
    await shows(page, 'Prompt 0:');
    await until(page, () => scrollY === 0);
    assert.equal((await idsOf(page))[0], (await all(page))[0]);
    assert.equal(await page.$eval('#older', (it) => it.checkVisibility()), false);
    await page.keyboard.press('End');
    await until(page, () => innerHeight + scrollY >= document.documentElement.scrollHeight - 2);
    await isWindow(page, { newest: true });
    await page.browserContext().close();
  },

  async 'what happens below does not move who reads above, in one tab, and comes to the other'() {
    const [page, other] = [await open(), await open()];
    await goUp(page, 6);
    await isWindow(page, { newest: false });
    const [seen, before] = [await eyeOf(page), await idsOf(page)];
    await prompt(other, 'Say something');
    await shows(other, 'Far below the reader.');
    await phase(other, 'idle');
    await phase(page, 'idle');
    await until(page, () => !document.getElementById('newer').hidden);
    await isStill(page, seen);
    assert.deepEqual(await idsOf(page), before);
    assert.ok(await isAtEnd(other));
    await isWindow(other, { newest: true });
    await page.click('#newer');
    await shows(page, 'Far below the reader.');
    await until(page, () => innerHeight + scrollY >= document.documentElement.scrollHeight - 2);
    await isWindow(page, { newest: true });
    assert.deepEqual((await idsOf(page)).slice(-50), (await idsOf(other)).slice(-50));
    // A prompt of one's own leads to the end as well.
    await goUp(page, 6);
    await page.type('#prompt', 'Sleep');
    await page.keyboard.press('Enter');
    await shows(page, 'Bash(sleep 100)');
    await isWindow(page, { newest: true });
    // What changes while it is not in the document is as it should be when it comes again.
    await goUp(page, 6);
    await direct('open', 'slept');
    await phase(page, 'idle');
    await isWindow(page, { newest: false });
    await page.click('#newer');
    await shows(page, 'It has slept.');
    assert.equal(await page.$$eval('#log > .userInput', (all) => all.filter((it) => it.innerText.includes('Sleep')).length), 1);
    assert.deepEqual((await idsOf(page)).slice(-50), (await idsOf(other)).slice(-50));
    const bodies = (page) => page.$$eval('#log > section', (all) => all.slice(-9).map((it) => it.outerHTML));
    assert.deepEqual(await bodies(page), await bodies(other));
    // And what changes while it is on its way.
    await prompt(other, 'Two halves');
    await shows(other, 'Half of it');
    await goUp(page, 6);
    const answers = await held(page);
    await page.$eval('#newer', (it) => it.click());
    await answers.first;
    await direct('open', 'half');
    await shows(other, 'the other half.');
    await phase(page, 'idle');
    await answers.release();
    await shows(page, 'the other half.');
    await until(page, () => innerHeight + scrollY >= document.documentElement.scrollHeight - 2);
    await isWindow(page, { newest: true });
    assert.deepEqual(await bodies(page), await bodies(other));
    await page.browserContext().close();
    await other.browserContext().close();
  },

  async 'find: all of the conversation, and back again'() {
    const page = await open();
    const end = await eyeOf(page);
    await find(page, 'needle');
    await foundAs(page, '1 of 1');
    await isFound(page, 'needle');
    await isWindow(page, { newest: false });
    await look(page, 'found');
    await page.keyboard.press('Escape');
    await until(page, () => document.getElementById('finder').hidden);
    await until(page, (id) => document.getElementById(id) != null, end.id);
    await until(page, () => innerHeight + scrollY >= document.documentElement.scrollHeight - 2);
    await isWindow(page, { newest: true });
    assert.equal(await page.evaluate(() => CSS.highlights.has('found')), false);
    // From a place in between, with several hits: Enter goes up, Shift and Enter go down.
    await goUp(page, 5);
    const seen = await eyeOf(page);
    await page.keyboard.down('Control');
    await page.keyboard.down('Shift');
    await page.keyboard.press('KeyF');
    await page.keyboard.up('Shift');
    await page.keyboard.up('Control');
    await page.type('#sought', 'THIMBLE');
    await foundAs(page, '3 of 3');
    await page.keyboard.press('Enter');
    await foundAs(page, '2 of 3');
    await until(page, () => document.querySelector('.found')?.innerText.includes('Of 750 lines'));
    await isFound(page, 'thimble');
    await page.keyboard.down('Shift');
    await page.keyboard.press('Enter');
    await foundAs(page, '3 of 3');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Shift');
    await foundAs(page, '1 of 3');
    await until(page, () => document.querySelector('.found')?.innerText.includes('Of 250 lines'));
    await isWindow(page, { newest: false });
    await page.keyboard.press('Escape');
    await until(page, (id) => document.getElementById(id) != null, seen.id);
    await isStill(page, seen);
    // Many hits are counted, and the newest are named. Nothing, and a text that is folded.
    await find(page, 'today.txt');
    await until(page, () => /^[\d,]+ of [\d,]+$/.test(document.querySelector('#finder output').textContent));
    const [, total] = (await page.$eval('#finder output', (it) => it.textContent)).split(' of ');
    assert.ok(Number(total.replace(',', '')) >= 3000, total);
    await find(page, 'no such thing');
    await foundAs(page, 'Not found');
    assert.equal(await page.$('.found'), null);
    await find(page, '777: line 29');
    await foundAs(page, '1 of 1');
    await isFound(page, '777: line 29');
    // The cross leaves the reader there, and what was unfolded stays so, also after it was out of the document.
    const folded = await page.$eval('.found', (it) => it.id);
    await page.click('#unfind');
    assert.ok(await page.$(`[id="${folded}"] details[open]`));
    await page.$eval('#newer', (it) => it.click());
    await until(page, (id) => !document.getElementById(id), folded);
    await find(page, '777: line 3');
    await until(page, (id) => document.querySelector('.found')?.id === id, folded);
    assert.ok(await page.$(`[id="${folded}"] details[open]`));
    await page.browserContext().close();
  },

  async 'a link to an element, and Back'() {
    const page = await open();
    const whole = await all(page);
    await page.goto('about:blank');
    const linked = whole[3002];
    await page.goto(`${server}${where}#${linked}`);
    await until(page, (id) => {
      const y = document.getElementById(id)?.getBoundingClientRect().top;
      return y >= 0 && y < innerHeight / 2;
    }, linked);
    await isWindow(page, { newest: false });
    await page.evaluate(() => { location.hash = '#e-%'; });
    await isWindow(page, { newest: false });
    // Within the page.
    await page.evaluate((id) => { location.hash = `#${id}`; }, whole[5000]);
    await until(page, (id) => document.getElementById(id) != null, whole[5000]);
    await goUp(page, 2);
    await page.evaluate(() => {
      const all = [...document.querySelectorAll('#log details')];
      all.find((it) => it.getBoundingClientRect().top > innerHeight / 2).open = true;
    });
    const open_ = await page.$eval('#log section:has(details[open])', (it) => it.id);
    await frames(page);
    const seen = await eyeOf(page);
    await page.goto(`${server}/`);
    await page.goBack();
    await until(page, (id) => document.getElementById(id) != null, seen.id);
    await isStill(page, seen);
    await isWindow(page, { newest: false });
    await until(page, (id) => document.getElementById(id)?.querySelector('details[open]'), open_);
    await page.browserContext().close();
  },

  async 'a connection that comes back leaves the reader where he is'() {
    const [page, end, other] = [await open(), await open(), await open()];
    await goUp(page, 6);
    const seen = await eyeOf(page);
    for (const it of [page, end]) await it.setOfflineMode(true);
    for (const it of [page, end]) await phase(it, 'lost');
    await prompt(other, 'Go on');
    await shows(other, 'After the connection came back.');
    await phase(other, 'idle');
    for (const it of [page, end]) await it.setOfflineMode(false);
    await shows(end, 'After the connection came back.');
    assert.ok(await isAtEnd(end));
    await phase(page, 'idle');
    await isStill(page, seen);
    await isWindow(page, { newest: false });
    await isWindow(end, { newest: true });
    await page.click('#newer');
    await shows(page, 'After the connection came back.');
    await page.browserContext().close();
    await end.browserContext().close();
    await other.browserContext().close();
  },

  async 'a long stay at the end, and in the middle, keeps the document small'() {
    const [page, reader] = [await open(), await open()];
    await reader.evaluate(() => scrollBy({ top: -3000, behavior: 'instant' }));
    await frames(reader);
    const seen = await eyeOf(reader);
    await prompt(page, 'Be busy');
    await shows(page, 'Very busy.');
    await phase(page, 'idle');
    await until(page, () => innerHeight + scrollY >= document.documentElement.scrollHeight - 2);
    await isWindow(page, { newest: true });
    await phase(reader, 'idle');
    await isStill(reader, seen);
    await isWindow(reader);
    await reader.click('#newer');
    await shows(reader, 'Very busy.');
    await isWindow(reader, { newest: true });
    await page.browserContext().close();
    await reader.browserContext().close();
  },
};

try {
  for (const [name, step] of Object.entries(steps)) {
    const start = Date.now();
    try {
      await step();
    } catch (error) {
      throw new Error(`${name}: ${error.stack}\n${failures.join('\n')}`);
    }
    console.log(`ok: ${name} (${Date.now() - start} ms)`);
  }
  assert.deepEqual(failures, []);
  console.log('all is well');
} finally {
  await browser.close();
}
