// What a person does without thinking: Enter and Escape in every field, Back and Forward, two tabs, a large picture.
import assert from 'node:assert/strict';

export function steps({ server, begin, direct, look, open, phase, press, prompt, received, shows, tap, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 300); }));
  const fields = ':is(input, select, textarea):not([hidden], [type=hidden], [type=file])';
  /** The fields that can be seen, by what names them. */
  const visible = (page, within = 'body') => page.$$eval(`${within} ${fields}`, (all) => {
    const seen = all.filter((it) => it.checkVisibility() && it.offsetWidth > 1);
    return seen.map((it) => {
      if (it.id) return `#${it.id}`;
      if (!it.name) it.name = 'nameless';
      return `${it.form?.id ? `#${it.form.id} ` : ''}${it.closest('dialog') ? 'dialog[open] ' : ''}[name=${it.name}]`;
    });
  });
  /** Presses a key in each of the fields. */
  async function pressIn(page, all, key, after = async () => {}) {
    for (const field of all) {
      await page.$eval(field, (it) => it.focus());
      await page.keyboard.press(key);
      await after(field);
    }
    await settled(page);
  }
  const values = (page, all) => Promise.all(all.map((field) => page.$eval(field, (it) => [it.value, it.checked])));
  /** What the page sends that changes something, from now on. */
  function changes(page) {
    const all = [];
    page.on('request', (request) => { if (request.method() !== 'GET') all.push(`${request.method()} ${new URL(request.url()).pathname}`); });
    return all;
  }
  let place = null;
  let desk = null;
  /** Looks at the window, which is wide again then. */
  async function see(name) {
    await look(desk, name);
    await desk.setViewport({ width: 1280, height: 800 });
  }

  return {
    async 'the list: Escape changes nothing in any field, and Enter searches or starts'() {
      desk = await open('/', { width: 1280 });
      await desk.click('#begin > summary');
      // The choices of the project may still come.
      await until(desk, () => document.querySelectorAll('#start select[name=mode] > option').length > 2);
      await tap(await desk.$('#worktree'));
      const all = await visible(desk);
      assert.ok(all.length >= 6 && all.includes('#query'), all.join());
      const [before, sent] = [await values(desk, all), changes(desk)];
      await pressIn(desk, all, 'Escape');
      assert.deepEqual(await values(desk, all), before);
      // A choice is none that begins a session.
      await pressIn(desk, all.filter((it) => /project|model|mode/.test(it)), 'Enter', () => desk.keyboard.press('Escape'));
      assert.deepEqual(sent, []);
      assert.equal(new URL(desk.url()).pathname + new URL(desk.url()).search, '/');
      await desk.type('#query', 'nothing like it');
      await desk.keyboard.press('Enter');
      await shows(desk, 'Nothing was found.');
      await see('search-nothing');
      await desk.goBack();
      await until(desk, () => location.search === '' && document.getElementById('query').value === '');
    },

    async 'what cannot be shown is said: a used link, no such session, a CLI that does not work'() {
      for (const [where, status] of [['/login/used', 403], ['/s/10000000-0000-4000-8000-000000000000', 404], ['/nowhere', 404]]) {
        const answer = await desk.goto(server + where);
        assert.equal(answer.status(), status, where);
        await see(`refused${where.slice(0, 6).replaceAll('/', '-')}`);
      }
      // As of a server whose machine has no such program.
      await desk.setRequestInterception(true);
      const problem = { kind: 'missing', text: 'Claude Code is not installed on the machine of this server, or not where it looks for it.', command: 'npm install -g @anthropic-ai/claude-code' };
      const answers = (request) => {
        if (!request.url().endsWith('/api/cli')) return request.continue();
        return request.respond({ contentType: 'application/json', body: JSON.stringify({ version: null, account: null, problem }) });
      };
      desk.on('request', answers);
      await desk.goto(`${server}/`);
      await shows(desk, 'To mend it, run there: npm install');
      await see('cli-missing');
      desk.off('request', answers);
      await desk.setRequestInterception(false);
    },

    async 'a page is not there before its script'(page) {
      const place = await begin(page, 'shop');
      // In a browser that has loaded no script of a session yet.
      const context = await desk.browser().createBrowserContext();
      const tab = await context.newPage();
      await tab.goto(server + await direct('login'));
      await tab.waitForSelector('#list');
      // The worker that the list has installed keeps the script, and nothing would be requested.
      await tab.setBypassServiceWorker(true);
      await tab.setRequestInterception(true);
      let letGo;
      const held = new Promise((done) => { letGo = done; });
      let asked = 0;
      tab.on('request', async (request) => {
        if (request.url().endsWith('/session.js')) {
          asked += 1;
          await held;
        }
        await request.continue();
      });
      const answered = tab.waitForResponse((answer) => answer.request().resourceType() === 'fetch' && answer.url() === server + place);
      await tab.goto(server + place);
      await answered;
      await settled(tab);
      assert.equal(await tab.$('#composer'), null);
      letGo();
      await phase(tab, 'idle');
      assert.equal(asked, 1);
      await context.close();
    },

    async 'a connection that is refused says why, and is there when it may be'(page) {
      const place = await begin(page, 'shop');
      await desk.setRequestInterception(true);
      const error = { kind: 'busy', message: 'too many sessions are in use' };
      let refused = 0;
      const answers = (request) => {
        if (!request.url().includes(`${place}/stream`)) return request.continue();
        refused += 1;
        return request.respond({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) });
      };
      desk.on('request', answers);
      await desk.goto(server + place);
      await shows(desk, 'too many sessions are in use');
      assert.equal(await textOf(desk, '#phase'), 'Not connected');
      await see('connection-refused');
      desk.off('request', answers);
      await desk.setRequestInterception(false);
      await phase(desk, 'idle');
      assert.ok(refused > 0);
      assert.equal(await desk.$eval('#offline', (it) => it.checkVisibility()), false);
    },

    async 'eight tabs: each has its conversation, and one that is seen again goes on'(page) {
      const place = await begin(page, 'shop');
      const show = (tab, isShown) => tab.evaluate((isShown) => {
        window.isShown = isShown;
        document.dispatchEvent(new Event('visibilitychange'));
      }, isShown);
      const tabs = [];
      while (tabs.length < 8) {
        const tab = await desk.browserContext().newPage();
        // A browser without windows shows all of its tabs.
        await tab.evaluateOnNewDocument(() => {
          window.isShown = true;
          Object.defineProperty(document, 'visibilityState', { get: () => (window.isShown ? 'visible' : 'hidden') });
        });
        await tab.goto(server + place);
        await phase(tab, 'idle');
        await show(tab, false);
        tabs.push(tab);
      }
      await phase(tabs[0], 'lost');
      await tabs[0].evaluate(() => { for (const name of ['offline', 'online']) dispatchEvent(new Event(name)); });
      await prompt(page, 'Into eight tabs');
      await shows(tabs[7], 'Into eight tabs');
      await phase(page, 'idle');
      assert.doesNotMatch(await textOf(tabs[0], '#log'), /Into eight tabs/);
      await show(tabs[0], true);
      await shows(tabs[0], 'Into eight tabs');
      await phase(tabs[0], 'idle');
      for (const tab of tabs) await tab.close();
    },

    async 'a session: Escape changes nothing in any field, and sends nothing'(page) {
      place = await begin(page, 'shop');
      await prompt(page, 'What is there?');
      await shows(page, 'Apples and pears.');
      await phase(page, 'idle');
      await desk.goto(server + place);
      await phase(desk, 'idle');
      await desk.type('#prompt', 'A draft');
      const sent = changes(desk);
      const all = await visible(desk);
      for (const field of ['#prompt', '#mode', '#model', '#sift']) assert.ok(all.includes(field), all.join());
      const before = await values(desk, all);
      await pressIn(desk, all, 'Escape');
      assert.deepEqual(await values(desk, all), before);
      await desk.click('#find');
      await desk.type('#sought', 'pears');
      await desk.keyboard.press('Enter');
      await until(desk, () => document.querySelector('#finder output').textContent === '1 of 1');
      await desk.keyboard.press('Escape');
      await until(desk, () => document.getElementById('finder').hidden);
      assert.deepEqual(sent, []);
      assert.equal(await desk.$eval('#prompt', (it) => it.value), 'A draft');
    },

    async 'a dialog: Escape closes it from every field, and changes nothing'() {
      const sent = changes(desk);
      const isOpen = (open) => until(desk, (open) => document.querySelector('dialog.about-session').open === open, open);
      await desk.click('#about');
      await isOpen(true);
      const all = await visible(desk, 'dialog[open]');
      assert.equal(all.length, 3, all.join());
      await desk.keyboard.press('Escape');
      await isOpen(false);
      for (const field of all) {
        await desk.click('#about');
        await isOpen(true);
        await until(desk, () => document.activeElement?.name === 'title');
        await desk.$eval(field, (it) => it.focus());
        await desk.keyboard.type(' ');
        await desk.keyboard.press('Escape');
        await isOpen(false);
        assert.equal(await desk.evaluate(() => document.activeElement.id), 'about');
      }
      assert.deepEqual(sent, []);
    },

    async 'Back and Forward: the draft is there, and the conversation is whole'() {
      const ids = () => desk.$$eval('#log > section', (all) => all.map((it) => it.id));
      const before = await ids();
      await desk.click('.top nav a');
      await desk.waitForSelector('#list li');
      await desk.goBack();
      await phase(desk, 'idle');
      await shows(desk, 'Apples and pears.');
      assert.deepEqual(await ids(), before);
      assert.equal(await desk.$eval('#prompt', (it) => it.value), 'A draft');
      await desk.goForward();
      await desk.waitForSelector('#list li');
      await desk.goBack();
      await phase(desk, 'idle');
      assert.deepEqual(await ids(), before);
    },

    async 'two tabs: what one sends is in the other, whose draft stays'(page) {
      await prompt(page, 'And now?');
      await until(desk, () => document.querySelectorAll('#log > .userInput').length === 2);
      await phase(page, 'idle');
      await phase(desk, 'idle');
      assert.equal(await desk.$eval('#prompt', (it) => it.value), 'A draft');
      await desk.focus('#prompt');
      await desk.keyboard.press('Enter');
      await until(page, () => document.querySelectorAll('#log > .userInput').length === 3);
      for (const it of [page, desk]) {
        await phase(it, 'idle');
        assert.match(await textOf(it, '#log'), /A draft/);
      }
    },

    async 'a picture of 5 MB is pasted, seen, sent, and seen by both'(page) {
      await desk.evaluate(() => {
        window.busyWith = [];
        const place = document.getElementById('sending');
        new MutationObserver(() => window.busyWith.push(place.textContent)).observe(place, { childList: true });
      });
      const size = await desk.evaluate(async () => {
        const canvas = new OffscreenCanvas(1400, 1150);
        const context = canvas.getContext('2d');
        const noise = context.createImageData(canvas.width, canvas.height);
        for (let at = 0; at < noise.data.length; at += 65_536) crypto.getRandomValues(noise.data.subarray(at, at + 65_536));
        for (let at = 3; at < noise.data.length; at += 4) noise.data[at] = 255;
        context.putImageData(noise, 0, 0);
        const picture = await canvas.convertToBlob({ type: 'image/png' });
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([picture], 'image.png', { type: 'image/png' }));
        document.getElementById('prompt').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        return picture.size;
      });
      assert.ok(size > 5e6 && size < 6e6, `${size}`);
      await until(desk, () => document.querySelector('#pictures img')?.naturalWidth === 1400);
      await prompt(desk, 'A large one');
      for (const it of [desk, page]) {
        await until(it, () => document.querySelector('#log img')?.naturalWidth === 1400);
        await phase(it, 'idle');
        await until(it, () => document.querySelectorAll('#log > .userInput').length === 4);
      }
      // What takes long is said, and is over.
      const told = await desk.evaluate(() => window.busyWith);
      assert.match(told.join('|'), /^Reading image\.png, 5\.\d MB…\|.*Sending \d\.\d MB… Cancel\|/);
      assert.equal(await desk.$eval('#sending', (it) => it.hidden), true);
      await page.reload();
      await until(page, () => document.querySelector('#log img')?.naturalWidth === 1400);
      await desk.browserContext().close();
    },
  };
}
