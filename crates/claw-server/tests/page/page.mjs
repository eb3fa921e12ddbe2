// Drives the live page in Chromium: page.mjs SERVER DIRECTOR CHROMIUM PACKAGES [STEPS]
//
// STEPS names a file with other steps than those that are here, such as `complete`.
//
// CLAW_TEST_SCREENSHOTS names a folder for pictures of each state, in light and dark, narrow and wide.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { looking } from './look.mjs';
import { opened } from './opened.mjs';
import { trust } from './trust.mjs';

const [server, director, executablePath, packages, only] = process.argv.slice(2);
const require = createRequire(path.resolve(packages, 'package.json'));
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const pictures = process.env.CLAW_TEST_SCREENSHOTS;
const LIMIT = Number(process.env.PAGE_LIMIT ?? 60_000);

const browser = await puppeteer.launch({
  executablePath, protocolTimeout: LIMIT, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const failures = [];
const phones = new Set();

/** Says to the director what happens. */
async function direct(what, body = null) {
  const answer = await fetch(`${director}/${what}`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, what);
  return answer.json();
}

/** The lines of a kind that the scripted agent of a project has got. */
async function received(kind, subtype, project = null) {
  const all = await direct('received', project);
  return all.filter((it) => it.type === kind && (!subtype || it.request?.subtype === subtype));
}

/** The newest answer to a request of the agent. */
const decision = async (project) => (await received('control_response', null, project)).at(-1)?.response.response;

/** `as` is the name of a user's role. */
async function open(where, { width = 390, as = null } = {}) {
  const context = await browser.createBrowserContext();
  const page = opened(await context.newPage());
  page.setDefaultTimeout(LIMIT);
  if (width < 600) phones.add(page);
  page.on('pageerror', (error) => failures.push(`${where}: ${error.stack}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) failures.push(`${where}: ${message.text()}`);
  });
  await size(page, width);
  await page.goto(server + await direct('login', as));
  assert.equal(new URL(page.url()).pathname, '/');
  await page.goto(server + where);
  return page;
}

/** Changes the width. A change of `isMobile` would load the page anew. */
const size = (page, width) => {
  const isMobile = phones.has(page);
  return page.setViewport({ width, height: width < 600 ? 844 : 800, isMobile, hasTouch: isMobile });
};

// By time: a page that was frozen draws no frames.
const shows = (page, text) => page.waitForFunction((text) => document.body.innerText.includes(text), { polling: 50 }, text);
const lacks = (page, text) => page.waitForFunction((text) => !document.body.innerText.includes(text), { polling: 50 }, text);
const phase = (page, name) => page.waitForSelector(`#phase[data-phase=${name}]`);
const textOf = (page, selector) => page.$eval(selector, (it) => it.innerText);
const press = async (page, text) => {
  const button = await page.waitForSelector(`::-p-xpath(//button[normalize-space(.)="${text}"])`, { visible: true });
  await tap(button);
};
/** Taps what the bar at the bottom may cover. */
async function tap(it) {
  await it.evaluate((it) => it.scrollIntoView({ block: 'center' }));
  // What lies under a finger that has just answered something else takes no tap yet.
  await it.evaluate((it) => new Promise((done) => {
    const wait = () => (it.closest('[data-settling]') ? setTimeout(wait, 50) : done());
    wait();
  }));
  await it.click();
}
/** Waits until it is asked whether a command may run. */
const asksFor = (page, command) => page.waitForFunction((command) => {
  const form = document.querySelector('#requests form');
  return form?.querySelector('h2').textContent === 'Allow Bash?' && form.querySelector('pre').textContent === command;
}, { polling: 50 }, command);
/** Waits until a text was said so often, and the turn is over. */
const said = async (page, text, times) => {
  // While the next page loads, it has no conversation yet.
  const wanted = (text, times) => document.getElementById('log')?.innerText.split(text).length - 1 === times;
  await page.waitForFunction(wanted, { polling: 50 }, text, times);
  await phase(page, 'idle');
};
const idsOf = (page) => page.$$eval('#log > section', (all) => all.map((it) => it.id));
/** Waits until the document has this number of elements. The newest come first, and older ones when these are drawn. */
const has = (page, count) => page.waitForFunction((count) => document.querySelectorAll('#log > section').length === count, { polling: 50 }, count);

/** Writes a prompt, and sends it. */
async function prompt(page, text, button = 'Send') {
  await page.type('#prompt', text);
  await press(page, button);
  await page.waitForFunction(() => document.getElementById('prompt').value === '');
}

const look = looking({ axe, failures, size, pictures, isPhone: (page) => phones.has(page) });

/** What there is on the page of a session is there once. */
async function isWhole(page, before) {
  const ids = await idsOf(page);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.slice(0, before.length), before);
  return ids;
}

/** Starts a session in a project, as a person does. Gives its path. */
async function begin(page, project) {
  await page.goto(`${server}/`);
  await page.click('#begin > summary');
  await page.select('#start select[name=project]', project);
  await press(page, 'Start');
  await phase(page, 'idle');
  return new URL(page.url()).pathname;
}


let place = null; // The path of the session.

const steps = {
  async 'a browser without a login is told how to log in'(page) {
    const context = await browser.createBrowserContext();
    const outside = await context.newPage();
    const answer = await outside.goto(`${server}/`);
    assert.equal(answer.status(), 401);
    await shows(outside, 'Open a login link');
    await look(outside, 'outside');
    await context.close();
    await shows(page, 'There are no sessions yet.');
  },

  async 'the conversation of the first document, with its progress'(page) {
    place = await begin(page, 'claw');
    await shows(page, 'Nothing was said yet.');
    await prompt(page, 'Run the tests');
    await shows(page, 'Running test 5 of 20...');
    await phase(page, 'running');
    await page.waitForFunction(() => document.querySelector('#progress progress')?.value === 25);
    await shows(page, 'Bash(go test ./...)');
    await direct('open', 'tests');
    await shows(page, 'clock.rs');
    await look(page, 'running');
    await direct('open', 'edited');
    await shows(page, 'All 20 tests pass.');
    await phase(page, 'idle');
    const [sent] = await received('user');
    assert.equal(sent.message.content, 'Run the tests');
    assert.match(sent.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  },

  async 'progress is what was said last, and none is made up'(page) {
    await page.evaluate(() => {
      const place = document.getElementById('progress');
      const bar = place.querySelector('progress');
      window.progressSeen = [];
      const note = () => {
        if (!place.hidden) window.progressSeen.push(`${place.querySelector('span').textContent} ${bar.hidden ? '' : Math.round(bar.value)}`);
      };
      new MutationObserver(note).observe(place, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    const bar = (value) => page.waitForFunction((value) => Math.round(document.querySelector('#progress progress').value) === value, { polling: 50 }, value);
    await prompt(page, 'Count');
    await shows(page, 'Running tests 15/20');
    await bar(75);
    await look(page, 'progress');
    await direct('open', 'fifteen');
    await shows(page, 'The list is refused.');
    await direct('open', 'refused');
    await shows(page, '3/9');
    await bar(33);
    await direct('open', 'mentioned');
    await shows(page, 'That is all.');
    await phase(page, 'idle');
    assert.equal(await page.$eval('#progress', (it) => it.hidden), true);
    const seen = await page.evaluate(() => window.progressSeen);
    assert.ok(seen.some((it) => it.endsWith(' 75')) && seen.some((it) => it.endsWith(' 33')), seen.join('; '));
    assert.ok(!seen.some((it) => / 100$|14\/20|\/2 /.test(it)), seen.join('; '));
  },

  async 'a text that grows, as Markdown'(page) {
    await prompt(page, 'Explain');
    const kept = await page.waitForSelector('.markdown h2.second, .markdown h2');
    await direct('open', 'half');
    await shows(page, 'the end');
    await phase(page, 'idle');
    // A finished block stays the same while the text grows.
    assert.equal(await page.$$eval('.markdown table', (all) => all.length), 1);
    assert.equal(await page.$$eval('.markdown a', (all) => all.length), 1);
    assert.equal(await page.evaluate(() => typeof window.ran), 'undefined');
    assert.equal(await page.$$eval('#log img', (all) => all.length), 0);
    assert.ok(kept);
    await page.waitForSelector('.copy');
    await press(page, 'Copy');
    await page.waitForFunction(() => /Copied|Selected/.test(document.querySelector('.copy').textContent));
    await look(page, 'markdown');
  },

  async 'approve, deny, always allow'(page) {
    await prompt(page, 'Ask me');
    await asksFor(page, 'cargo test');
    await phase(page, 'asking');
    await look(page, 'permission');
    const first = await page.$('#requests form');
    await press(page, 'Allow once');
    await page.waitForFunction((it) => !it.isConnected, {}, first);
    await page.waitForSelector('#requests input[name=message]');
    assert.equal((await decision()).behavior, 'allow');
    await page.type('#requests input[name=message]', 'Not today');
    await press(page, 'Deny');
    await shows(page, 'Allow Edit?');
    assert.deepEqual([(await decision()).behavior, (await decision()).message], ['deny', 'Not today']);
    await look(page, 'edit');
    // Every use of a tool is wide.
    await tap(await page.$('#requests [data-suggestion="0"]'));
    await page.waitForFunction(() => performance.now() - document.querySelector('[data-armed-at]').dataset.armedAt > 450, { polling: 50 });
    await tap(await page.$('#requests [data-suggestion="0"]'));
    await shows(page, 'Asked enough.');
    const { behavior, updatedPermissions } = await decision();
    assert.equal(behavior, 'allow');
    assert.deepEqual(updatedPermissions.map((it) => it.type), ['addRules']);
    await phase(page, 'idle');
  },

  async 'hostile text is text, live and in a request'(page) {
    await prompt(page, '<img src=x onerror="window.ran=1">');
    await page.waitForSelector('#requests form');
    await look(page, 'hostile');
    assert.equal(await page.evaluate(() => typeof window.ran), 'undefined');
    const markup = '#log img, #log script, #log svg, #requests img, #requests script, #requests svg, [onfocus], [onload], [onerror]';
    assert.equal(await page.$$eval(markup, (all) => all.length), 0);
    for (const place of ['#log', '#requests']) {
      const text = await textOf(page, place);
      assert.ok(text.includes('<script>') && !text.includes('\u202e') && !text.includes('\u001b'), place);
    }
    await press(page, 'Deny');
    await phase(page, 'idle');
  },

  async 'a question'(page) {
    await prompt(page, 'Question');
    await shows(page, 'Which time zone?');
    await look(page, 'question');
    for (const name of ['UTC', 'Unit', 'Page']) await tap(await page.$(`#requests input[value=${name}]`));
    await press(page, 'Answer');
    await phase(page, 'idle');
    const { answers } = (await decision()).updatedInput;
    assert.equal(answers['Which time zone?'], 'UTC');
    assert.match(JSON.stringify(answers['Which tests?']), /Unit.*Page/);
  },

  async 'a plan'(page) {
    await prompt(page, 'Plan');
    await shows(page, 'Mend the clock');
    await look(page, 'plan');
    await press(page, 'Approve the plan');
    await phase(page, 'idle');
    assert.equal((await decision()).behavior, 'allow');
  },

  async 'a sub-agent'(page) {
    await prompt(page, 'Look');
    await page.waitForSelector('section.subagent .transcript > summary');
    await page.click('section.subagent .transcript > summary');
    await shows(page, 'I look at the clocks.');
    await shows(page, 'Stop agent');
    assert.equal(await page.$('#log > .sub'), null);
    await look(page, 'subagent');
    await direct('open', 'looked');
    await shows(page, 'There are two clocks.');
    await phase(page, 'idle');
  },

  async 'steering, model and mode, an interrupt'(page) {
    await prompt(page, 'Test');
    await shows(page, 'I wait.');
    await page.select('#priority', 'next');
    await prompt(page, 'Only the fast ones', 'Add');
    await direct('open', 'steered');
    await shows(page, 'The fast ones, then.');
    await phase(page, 'idle');
    assert.equal((await received('user')).at(-1).priority, 'next');
    await prompt(page, 'Go on');
    await shows(page, 'This takes long.');
    await page.select('#mode', 'plan');
    await page.select('#model', 'haiku');
    await page.waitForFunction(() => document.getElementById('model').value === 'haiku');
    await press(page, 'Stop');
    await phase(page, 'idle');
    assert.equal((await received('control_request', 'interrupt')).length, 1);
    assert.equal((await received('control_request', 'set_permission_mode')).at(-1).request.mode, 'plan');
    assert.equal((await received('control_request', 'set_model')).at(-1).request.model, 'haiku');
    assert.equal(await page.$eval('#stop', (it) => it.checkVisibility()), false);
  },

  async 'an image in a prompt'(page) {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
    await page.evaluate((png) => {
      const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
      document.getElementById('files').files = data.files;
      document.getElementById('files').dispatchEvent(new Event('change'));
    }, png);
    await page.waitForSelector('#pictures img');
    await look(page, 'image');
    await prompt(page, 'What is this?');
    await shows(page, 'A red dot.');
    await phase(page, 'idle');
    const { content } = (await received('user')).at(-1).message;
    assert.deepEqual(content.map((it) => it.type), ['image', 'text'], JSON.stringify(content));
    const [image, text] = content;
    assert.deepEqual([image.source.data, text.text], [png, 'What is this?']);
    await page.waitForSelector('#log img');
  },

  async 'two browsers on one session'(page) {
    const second = await open(place, { width: 1280 });
    await shows(second, 'A red dot.');
    await has(second, (await idsOf(page)).length);
    assert.deepEqual(await idsOf(second), await idsOf(page));
    await prompt(second, 'Again');
    await Promise.all([shows(page, 'Allow Bash'), shows(second, 'Allow Bash')]);
    await press(second, 'Deny');
    await shows(page, 'Allow Bash(cargo test)? — denied by a computer');
    assert.equal(await page.$('#requests form'), null);
    await look(page, 'answered');
    await Promise.all([phase(page, 'idle'), phase(second, 'idle')]);
    assert.deepEqual(await idsOf(second), await idsOf(page));
    assert.equal((await decision()).behavior, 'deny');
    await second.browserContext().close();
  },

  async 'a late answer is refused, and told who was first'(page) {
    await prompt(page, 'And again');
    await page.waitForSelector('#requests form');
    const before = (await received('control_response')).length;
    const answers = await page.evaluate(async () => {
      const api = `/api/sessions/${document.body.dataset.session}`;
      const headers = { 'content-type': 'application/json', 'x-claw-key': localStorage.getItem('claw.key'), 'x-claw-viewer': 'a script' };
      const { requests: [{ id }] } = await (await fetch(api, { headers })).json();
      const answer = async (decision) => {
        const body = JSON.stringify({ decision });
        const response = await fetch(`${api}/requests/${id}`, { method: 'POST', headers, body });
        return [response.status, (await response.json()).error?.answered?.by];
      };
      return [await answer('deny'), await answer('allow')];
    });
    assert.deepEqual(answers.map(([status]) => status), [200, 409]);
    assert.equal(answers[1][1], 'a script');
    await shows(page, 'denied by a script');
    await phase(page, 'idle');
    assert.equal((await received('control_response')).length, before + 1);
  },

  async 'a reload in mid-turn'(page) {
    await prompt(page, 'Talk');
    await shows(page, 'Half of');
    const before = await idsOf(page);
    await page.reload();
    await shows(page, 'Half of');
    await has(page, before.length);
    assert.deepEqual(await idsOf(page), before);
    await direct('open', 'word');
    await shows(page, 'Half of a word.');
    await phase(page, 'idle');
    await isWhole(page, before);
  },

  async 'a phone that lost its connection'(page) {
    const phone = await open(place);
    await phase(phone, 'idle');
    await has(phone, (await idsOf(page)).length);
    await prompt(page, 'Sleep');
    await shows(phone, 'Before the');
    const before = await idsOf(phone);
    const client = await phone.createCDPSession();
    await client.send('Network.enable');
    await client.send('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await direct('open', 'slept');
    await client.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await shows(phone, 'Before the sleep, and after it.');
    await phase(phone, 'idle');
    await isWhole(phone, before);
    await phone.browserContext().close();
    await phase(page, 'idle');
  },

  async 'by keyboard alone'(page) {
    const desk = await open(place, { width: 1280 });
    await phase(desk, 'idle');
    await desk.focus('#prompt');
    await desk.keyboard.type('By keyboard');
    await desk.keyboard.press('Enter');
    await desk.waitForSelector('#requests form');
    await tabTo(desk, '#requests button[value=deny]');
    await desk.keyboard.press('Enter');
    await phase(desk, 'idle');
    assert.equal((await decision()).behavior, 'deny');
    await tabTo(desk, '#prompt');
    await desk.keyboard.type('Go on');
    await desk.keyboard.press('Enter');
    await shows(desk, 'Until Escape.');
    await desk.keyboard.press('Escape');
    await phase(desk, 'idle');
    assert.equal((await received('control_request', 'interrupt')).length, 2);
    await desk.browserContext().close();
    await phase(page, 'idle');
  },

  async 'another project, and the list of both'(page) {
    await begin(page, 'shop');
    await prompt(page, 'What is there?');
    await shows(page, 'Apples and pears.');
    await phase(page, 'idle');
    await page.goto(`${server}/`);
    const headings = () => page.$$eval('#list h2', (all) => all.map((it) => it.textContent));
    await page.waitForFunction(() => document.querySelectorAll('#list li').length === 2);
    // One list by time, whose rows name their projects, and on request one for each project.
    assert.deepEqual(await headings(), []);
    assert.deepEqual(await page.$$eval('#list .of-project', (all) => all.map((it) => it.innerText)), ['shop', 'claw']);
    await tap(await page.$('#grouped'));
    await page.waitForFunction(() => document.querySelectorAll('#list h2').length === 2);
    assert.deepEqual((await headings()).sort(), ['claw', 'shop']);
    assert.equal(await page.$eval('#list .of-project', (it) => it.checkVisibility()), false);
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll('#list h2').length === 2);
    await look(page, 'grouped');
    await tap(await page.$('#grouped'));
    await page.waitForFunction(() => document.querySelectorAll('#list li').length === 2 && !document.querySelector('#list h2'));
    // Without a transcript they are called by their first prompts.
    await shows(page, 'Run the tests');
    await shows(page, 'What is there?');
    await page.click('#begin > summary');
    await look(page, 'sessions');
  },

  async 'the real claude: a prompt, a permission, its result'(page) {
    place = await begin(page, 'real');
    await prompt(page, 'Make a file');
    await asksFor(page, 'touch made');
    assert.equal(await direct('made'), false);
    await press(page, 'Allow once');
    await shows(page, 'The file is there.');
    await phase(page, 'idle');
    assert.equal(await direct('made'), true);
  },

  async 'the real claude: denied, and always allowed'(page) {
    await prompt(page, 'Delete it');
    await asksFor(page, 'rm made');
    await press(page, 'Deny');
    await shows(page, 'Then it stays.');
    await phase(page, 'idle');
    assert.equal(await direct('made'), true);
    await prompt(page, 'Count lines');
    await asksFor(page, 'node -e 0');
    await tap(await page.$('#requests .always:not([data-wide])'));
    await said(page, 'It has no lines.', 1);
    // It is not asked a second time.
    await prompt(page, 'Count lines again');
    await said(page, 'It has no lines.', 2);
    assert.equal(await page.$('#requests form'), null);
  },

  async 'the real claude: a question'(page) {
    await prompt(page, 'Colour?');
    await tap(await page.waitForSelector('#requests input[value=Blue]'));
    await press(page, 'Answer');
    await said(page, 'Blue it is.', 1);
  },

  async 'the real claude: a plan'(page) {
    await page.select('#mode', 'plan');
    await page.waitForFunction(() => document.getElementById('mode').value === 'plan');
    await prompt(page, 'Plan it');
    // A plan is a file that the model writes, and here it has written none.
    await shows(page, 'Claude wants to begin without a plan');
    await press(page, 'Begin without a plan');
    await said(page, 'The plan is made.', 1);
  },

  async 'the real claude: a sub-agent'(page) {
    await prompt(page, 'Look around');
    await said(page, 'There is one file.', 1);
    assert.match(await textOf(page, '#log'), /Agent\(Count the files\)/);
  },

  async 'the real claude: a sub-agent in the background'(page) {
    await prompt(page, 'Count behind me');
    await said(page, 'It counts.', 1);
    await page.waitForFunction(() => document.getElementById('phase').textContent === '1 agent works', { polling: 50 });
    await look(page, 'background');
    const text = await textOf(page, '#log');
    assert.match(text, /Runs in the background\./);
    assert.doesNotMatch(text, /internal ID|never quote|agentId/);
    await direct('open', 'counted');
    await said(page, 'It counted one.', 1);
    await page.waitForFunction(() => document.getElementById('phase').textContent === 'Ready', { polling: 50 });
  },

  async 'the real claude: a PDF, a text, and a file on the disk'(page) {
    const pdf = fs.readFileSync(new URL('../../../../xtask/recordings/files/page.pdf', import.meta.url));
    await page.evaluate((pdf) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(pdf), (c) => c.charCodeAt(0))], 'page.pdf', { type: 'application/pdf' }));
      data.items.add(new File(['fn main() {}'], 'main.rs'));
      data.items.add(new File([Uint8Array.of(0, 255)], 'two bytes.bin'));
      document.getElementById('files').files = data.files;
      document.getElementById('files').dispatchEvent(new Event('change'));
    }, pdf.toString('base64'));
    await page.waitForFunction(() => document.querySelectorAll('#pictures figure').length === 3);
    await prompt(page, 'Two documents');
    await said(page, 'Both are read.', 1);
    const content = (await direct('asked')).messages.flatMap((it) => it.content);
    const blocks = content.filter((it) => it.type === 'document');
    assert.deepEqual(blocks.map((it) => [it.title, it.source.media_type, it.source.data]), [
      ['page.pdf', 'application/pdf', pdf.toString('base64')], ['main.rs', 'text/plain', 'fn main() {}'],
    ]);
    const mention = content.map((it) => it.text).find((it) => it?.startsWith('Two documents'));
    assert.match(mention, /^Two documents\n\n@\.claude\/uploads\/[0-9a-f]{32}-two-bytes\.bin$/);
  },

  async 'the real claude: an interrupt'(page) {
    await prompt(page, 'Wait');
    await shows(page, 'This');
    await press(page, 'Stop');
    await phase(page, 'idle');
    await shows(page, '[Request interrupted by user]');
    assert.doesNotMatch(await textOf(page, 'body'), /ede_diagnostic|error:/);
    assert.equal(await page.$eval('#stop', (it) => it.checkVisibility()), false);
  },

  async 'a search, a fork, usage'(page) {
    const first = new URL(page.url()).pathname;
    const prompts = () => page.$$eval('#log > .userInput:not(.sub)', (all) => all.map((it) => it.innerText));
    const before = await prompts();
    await press(page, 'Fork');
    await page.waitForFunction((first) => location.pathname !== first && location.pathname.startsWith('/s/'), {}, first);
    await shows(page, 'The file is there.');
    // The first prompt is among the elements that come later.
    await shows(page, 'Make a file');
    assert.deepEqual(await prompts(), before);
    // A fork is told from its original, and a fork of it from both, also where titles are cut off at their ends.
    const titles = ['Fork: '];
    await phase(page, 'idle');
    assert.ok((await textOf(page, '#title')).startsWith(titles[0]), await textOf(page, '#title'));
    await look(page, 'fork');
    const fork = new URL(page.url()).pathname;
    await press(page, 'Fork');
    await page.waitForFunction((fork) => location.pathname !== fork && location.pathname.startsWith('/s/'), {}, fork);
    titles.unshift('Fork, level 2: ');
    await phase(page, 'idle');
    await page.waitForFunction((begin) => document.title.startsWith(begin), { polling: 50 }, titles[0]);
    await page.goto(`${server}/`);
    await page.waitForFunction(() => document.querySelectorAll('#list li').length > 2, { polling: 50 });
    const listed = await page.$$eval('#list li strong', (all) => all.map((it) => it.textContent));
    titles.forEach((begin, n) => assert.ok(listed[n].startsWith(begin) && !listed[n].includes('(fork)'), `${listed}`));
    // What was said last, when, and in which project, is what the real CLI has written.
    const [last, when, project] = await page.$eval('#list li:nth-of-type(3)', (it) => ['last', 'when', 'of-project'].map((name) => it.querySelector(`.${name}`).textContent));
    assert.ok(last && /^(just now|.* ago)$/.test(when) && project === 'real', `${last}, ${when}, ${project}`);
    await look(page, 'fork-list');
    await page.type('#query', 'file is there');
    await press(page, 'Search');
    await shows(page, 'In conversations');
    const [hit] = await page.$$eval('.hits a', (all) => all.map((it) => [it.querySelector('mark').textContent, it.querySelector('small').textContent]));
    assert.equal(hit[0].toLowerCase(), 'file is there');
    // The heading stands above what was found, on a phone too.
    assert.ok(await page.$eval('.in-conversations', (it) => it.querySelector('h2').getBoundingClientRect().bottom <= it.querySelector('ul').getBoundingClientRect().top));
    // The title of its session, and its project.
    assert.match(hit[1], /^.+ · real · /);
    await look(page, 'search');
    await page.goto(`${server}/usage`);
    await page.waitForSelector('svg.chart rect');
    await look(page, 'usage');
  },
};

/** Goes to an element as the keyboard does. */
async function tabTo(page, selector) {
  for (let n = 0; n < 200; n++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way by Tab to ${selector}`);
}

const tools = {
  server, begin, decision, direct, lacks, look, open, phase, press, prompt, received, said, shows, tap, tabTo, textOf,
};
const all = only ? (await import(`./${only}.mjs`)).steps(tools) : { ...steps, ...trust(tools) };

try {
  const page = await open('/');
  for (const [name, step] of Object.entries(all)) {
    const start = Date.now();
    try {
      await step(page);
    } catch (error) {
      if (pictures) await page.screenshot({ path: path.join(pictures, 'failed.png') });
      throw new Error(`${name}: ${error.stack}\n${await page.evaluate(() => document.body.innerText)}\n${failures.join('\n')}`);
    }
    console.log(`ok: ${name} (${Date.now() - start} ms)`);
  }
  assert.deepEqual(failures, []);
  console.log('all is well');
} finally {
  await browser.close();
}
