// What makes the page comfortable: renaming, the list beside a conversation, the composer, colours for code, the stream.
import assert from 'node:assert/strict';

const of = (number) => `/s/20000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export function steps({ server, direct, look, open, phase, press, received, shows, tabTo, textOf }) {
  let desk = null; // A window with room for the list.
  let other = null; // Another one, which looks at the page of all sessions.

  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const rows = (page) => page.$$eval('#side .list li', (all) => all.length);
  const titleOf = (page, place, path) => page.$eval(`${place} a[href="${path}"] strong`, (it) => it.textContent);
  const isOpen = (page) => page.$eval('dialog.about-session', (it) => it.open);

  /** Looks at the window, which is wide again then. */
  async function see(name, place = '#side') {
    await look(desk, name);
    await desk.setViewport({ width: 1280, height: 800 });
    await desk.waitForSelector(place, { visible: true });
  }

  return {
    async 'beside a conversation are the sessions, a page of them at a time, the current one marked'() {
      desk = await open(of(7), { width: 1280 });
      await until(desk, () => document.querySelectorAll('#side .list li').length === 50);
      await shows(desk, 'Three blocks:');
      assert.equal(await desk.$eval('#side [aria-current=page]', (it) => it.getAttribute('href')), of(7));
      await until(desk, () => document.querySelector('#side [aria-current=page]').getBoundingClientRect().bottom < innerHeight);
      await see('side');
      // Nothing of the conversation is below it.
      const { right } = await desk.$eval('#side', (it) => it.getBoundingClientRect().toJSON());
      for (const place of ['.top', '#log', '#composer']) {
        assert.ok(await desk.$eval(place, (it) => it.getBoundingClientRect().left) >= right, place);
      }
      await desk.$eval('#side .scroll', (it) => it.scrollTo(0, it.scrollHeight));
      await until(desk, () => document.querySelectorAll('#side .list li').length === 100);
    },

    async 'a row says what was said last and when, its project and its branch, also after hours'() {
      await desk.goto(`${server}/`);
      await until(desk, () => document.querySelectorAll('#list li').length === 50);
      const row = `#list li[data-session$="000000000007"]`;
      assert.match(await textOf(desk, row), /^Prompt of session 7\s+Three blocks: .*\s+8 minutes agoclockmain/);
      assert.match(await textOf(desk, `${row} .size`), /^\d+ kB$/);
      // In one list by time.
      assert.equal(await desk.$('#list h2'), null);
      const ids = await desk.$$eval('#list li', (all) => all.map((it) => Number(it.dataset.session.slice(-12))));
      assert.deepEqual(ids, [...ids].sort((a, b) => a - b));
      await see('list', '#list');
      // A title has two lines, however long it is.
      await desk.setViewport({ width: 390, height: 844 });
      await desk.$eval(`${row} strong`, (it) => { it.textContent = 'A title that goes on and on. '.repeat(12); });
      assert.ok(await desk.$eval(`${row} strong`, (it) => it.offsetHeight < 2.2 * parseFloat(getComputedStyle(it).lineHeight || '24')));
      await desk.setViewport({ width: 1280, height: 800 });
      await desk.evaluate(() => {
        const { now } = Date;
        Date.now = () => now() + 3 * 3_600_000;
        document.dispatchEvent(new Event('visibilitychange'));
      });
      assert.match(await textOf(desk, row), /3 hours ago/);
      // The heading of a project's list has its name, and no row begins with a dot, as that of a session without a time.
      await desk.click('#grouped');
      await until(desk, () => document.querySelectorAll('#list h2').length === 2);
      const parts = await desk.$eval(row, (it) => {
        it.querySelector('.when').textContent = '';
        const all = [...it.querySelectorAll('small > *')].filter((part) => part.checkVisibility() && part.textContent);
        return all.map((part) => [part.className, getComputedStyle(part, '::before').content]);
      });
      assert.deepEqual(parts, [['branch', '"⎇ "'], ['size', '" · "']]);
      await see('list-grouped', '#list');
      await desk.click('#grouped');
      // The list is empty until it is drawn anew.
      await until(desk, () => !document.querySelector('#list h2') && document.querySelectorAll('#list li .of-project').length);
      assert.equal(await desk.$eval(`${row} .of-project`, (it) => it.checkVisibility()), true);
    },

    async 'a session that is older than the listed ones is listed where it belongs'() {
      await desk.goto(server + of(115));
      await desk.waitForSelector(`#side [aria-current=page][href="${of(115)}"]`);
      assert.equal(await rows(desk) % 50, 1);
    },

    async 'a narrow window has no list and fetches none, until there is room'(page) {
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url())));
      await page.goto(server + of(8));
      await phase(page, 'idle');
      assert.equal(await page.$eval('#side', (it) => it.checkVisibility()), false);
      const lists = () => asked.filter((it) => it.pathname === '/api/sessions').length;
      assert.equal(lists(), 0);
      await page.setViewport({ width: 1100, height: 800, isMobile: true, hasTouch: true });
      await page.waitForSelector('#side [aria-current=page]');
      assert.equal(lists(), 1);
      await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
      await until(page, () => !document.getElementById('side').checkVisibility());
      await phase(page, 'idle');
    },

    async 'a session that asks stands on top of the list, and is one click away'(page) {
      await desk.goto(server + of(7));
      await until(desk, () => document.querySelectorAll('#side .list li').length === 50);
      await page.type('#prompt', 'Ask me');
      await press(page, 'Send');
      await page.waitForSelector('#requests form');
      const way = `#side .asking:not([hidden]) a[href="${of(8)}"]`;
      await desk.waitForSelector(way);
      assert.match(await textOf(desk, '#side .asking'), /Waiting for you\s+Prompt of session 8\s+asks you/);
      const top = await desk.$eval('#side .asking', (it) => it.getBoundingClientRect().top);
      assert.ok(top >= 0 && top < 200, `${top}`);
      await see('side-asks');
      // On a phone, too, the bar has one row of buttons.
      await desk.setViewport({ width: 390, height: 844 });
      const tops = await desk.$$eval('.top > nav, .top > h1, .top > button', (all) => all.map((it) => it.getBoundingClientRect().top));
      assert.ok(Math.max(...tops) < 40, `the bar has one row of buttons: ${tops}`);
      await desk.setViewport({ width: 1280, height: 800 });
      await desk.waitForSelector('#side', { visible: true });
      await desk.click(way);
      await desk.waitForSelector('#requests form');
      assert.equal(new URL(desk.url()).pathname, of(8));
      await press(desk, 'Deny');
      await until(desk, () => document.querySelector('#side .asking').hidden);
      await phase(page, 'idle');
      // Its row says what it has cost by now.
      await until(desk, (path) => {
        const { textContent } = document.querySelector(`#side .list a[href="${path}"] .spent`);
        return textContent && document.getElementById('cost').textContent === `in all ${textContent}`;
      }, of(8));
    },

    async 'the list is sifted while one writes, Escape shows all again, Enter searches the conversations'() {
      await desk.type('#sift', 'session 99');
      await until(desk, () => document.querySelectorAll('#side .list li').length === 1);
      assert.equal(await titleOf(desk, '#side', of(99)), 'Prompt of session 99');
      await see('side-search');
      await desk.focus('#sift');
      await desk.keyboard.press('Escape');
      await until(desk, () => document.querySelectorAll('#side .list li').length >= 50);
      assert.equal(await desk.$eval('#sift', (it) => it.value), '');
      await desk.type('#sift', 'noon');
      await desk.waitForSelector('#side .empty');
      await desk.keyboard.press('Enter');
      await shows(desk, 'In conversations');
      assert.equal(new URL(desk.url()).search, '?q=noon');
    },

    async 'renamed and tagged by keyboard, and everybody sees it at once'(page) {
      await desk.goto(server + of(7));
      await until(desk, () => document.querySelectorAll('#side .list li').length === 50);
      other = await open('/');
      await other.waitForSelector(`#list a[href="${of(7)}"]`);
      await page.goto(server + of(7));
      await phase(page, 'idle');
      await tabTo(desk, '#about');
      await desk.keyboard.press('Enter');
      await until(desk, () => document.activeElement?.name === 'title');
      assert.equal(await desk.$eval('dialog input[name=title]', (it) => it.value), 'Prompt of session 7');
      await see('about');
      await desk.focus('dialog input[name=title]');
      // Escape changes nothing, and gives the keyboard back.
      await desk.keyboard.type('Not this');
      await desk.keyboard.press('Escape');
      assert.equal(await isOpen(desk), false);
      assert.equal(await desk.evaluate(() => document.activeElement.id), 'about');
      await desk.keyboard.press('Enter');
      await until(desk, () => document.activeElement?.name === 'title' && document.activeElement.value === 'Prompt of session 7');
      await desk.keyboard.type('The <b>clock</b>');
      await tabTo(desk, 'dialog input[name=tag]');
      await desk.keyboard.type('noon');
      await desk.keyboard.press('Enter');
      await until(desk, () => !document.querySelector('dialog.about-session').open);
      const title = 'The <b>clock</b>';
      for (const it of [desk, page]) await until(it, (title) => document.getElementById('title').textContent === title, title);
      for (const [it, place] of [[desk, '#side'], [other, '#list']]) {
        await until(it, (place, path, title) => {
          const row = document.querySelector(`${place} a[href="${path}"]`);
          return row.querySelector('strong').textContent === title && row.querySelector('.tag').textContent === 'noon';
        }, place, of(7), title);
      }
      await look(other, 'tagged');
      // It is written down.
      await other.reload();
      await other.waitForSelector(`#list a[href="${of(7)}"]`);
      assert.equal(await titleOf(other, '#list', of(7)), title);
    },

    async 'after a lost connection the list says what has changed meanwhile, and is there if it was not'() {
      const rename = (title) => other.evaluate((path, title) => fetch(path.replace('/s/', '/api/sessions/'), {
        method: 'PATCH', headers: { 'content-type': 'application/json', 'x-claw-key': localStorage.getItem('claw.key') }, body: JSON.stringify({ title }),
      }), of(10), title);
      const isCalled = (page, place, title) => until(page, (place, path, title) => document.querySelector(`${place} a[href="${path}"] strong`)?.textContent === title, place, of(10), title);
      const lists = other;
      await desk.setOfflineMode(true);
      await phase(desk, 'lost');
      await rename('Renamed meanwhile');
      await isCalled(lists, '#list', 'Renamed meanwhile');
      const count = await rows(desk);
      assert.equal(await titleOf(desk, '#side', of(10)), 'Prompt of session 10');
      await desk.setOfflineMode(false);
      await isCalled(desk, '#side', 'Renamed meanwhile');
      assert.equal(await rows(desk), count);
      // A list that could not be had at first.
      await desk.setRequestInterception(true);
      const refuse = (request) => (request.url().includes('/api/sessions?') ? request.abort() : request.continue());
      desk.on('request', refuse);
      await desk.goto(server + of(7));
      await shows(desk, 'The sessions cannot be listed now.');
      await see('side-trouble');
      desk.off('request', refuse);
      await desk.setRequestInterception(false);
      await desk.setOfflineMode(true);
      await phase(desk, 'lost');
      await desk.setOfflineMode(false);
      await isCalled(desk, '#side', 'Renamed meanwhile');
      assert.equal(await desk.$eval('#side .trouble', (it) => it.hidden), true);
      await rename('Prompt of session 10');
      await isCalled(desk, '#side', 'Prompt of session 10');
    },

    async 'what is refused is said, and nothing is lost'() {
      await desk.click('#about');
      await until(desk, () => document.activeElement?.name === 'title');
      await desk.$eval('dialog input[name=title]', (it) => { it.value = ''; });
      await desk.keyboard.press('Enter');
      await desk.waitForSelector('dialog .note.bad:not([hidden])');
      await see('about-refused');
      await press(desk, 'Cancel');
      await until(desk, () => document.getElementById('title').textContent === 'The <b>clock</b>');
      assert.equal(await titleOf(desk, '#side', of(7)), 'The <b>clock</b>');
    },

    async 'archived, it leaves every list, and comes back'() {
      const edit = `#list li[data-session$="000000000009"] .edit`;
      await other.waitForSelector(edit);
      await other.$eval(edit, (it) => it.scrollIntoView({ block: 'center' }));
      await other.click(edit);
      await until(other, () => document.activeElement?.name === 'title');
      await other.click('dialog input[name=archived]');
      await press(other, 'Save');
      for (const [it, place] of [[desk, '#side'], [other, '#list']]) {
        await until(it, (place, path) => !document.querySelector(`${place} .list a[href="${path}"], ${place} > div > ul a[href="${path}"]`), place, of(9));
      }
      await other.reload();
      await until(other, () => document.querySelectorAll('#list li').length === 50);
      assert.equal(await other.$(`#list a[href="${of(9)}"]`), null);
      await other.goto(`${server}/?archived=true`);
      await other.waitForSelector(`#list a[href="${of(9)}"]`);
      assert.equal(await other.$$eval('#list li', (all) => all.length), 1);
      await look(other, 'archived');
      await other.click('#list .edit');
      await until(other, () => document.activeElement?.name === 'title');
      await other.click('dialog input[name=archived]');
      await press(other, 'Save');
      await until(other, () => !document.querySelector('#list li'));
      await desk.waitForSelector(`#side .list a[href="${of(9)}"]`);
      await until(desk, (before, it) => {
        const all = [...document.querySelectorAll('#side .list a')].map((row) => row.getAttribute('href'));
        return all.indexOf(before) < all.indexOf(it);
      }, of(6), of(9));
    },

    async 'deleted after a question that names it, it leaves every list'(page) {
      await other.goto(`${server}/`);
      await other.waitForSelector(`#list a[href="${of(33)}"]`);
      await page.goto(server + of(33));
      await phase(page, 'idle');
      await page.click('#about');
      await until(page, () => document.activeElement?.name === 'title' && document.activeElement.value === 'Prompt of session 33');
      await press(page, 'Delete…');
      await shows(page, 'Delete “Prompt of session 33” for good?');
      await shows(page, 'its process ends first');
      await look(page, 'delete');
      await press(page, 'Keep it');
      await until(page, () => !document.querySelector('dialog.about-session form').hidden && document.querySelector('dialog.about-session .confirm').hidden);
      await press(page, 'Delete…');
      await press(page, 'Delete it');
      await page.waitForSelector('#list li');
      for (const [it, place] of [[desk, '#side'], [other, '#list'], [page, '#list']]) {
        await until(it, (place, path) => !document.querySelector(`${place} a[href="${path}"]`), place, of(33));
      }
      const status = await other.evaluate((path) => fetch(path.replace('/s/', '/api/sessions/'), { headers: { 'x-claw-key': localStorage.getItem('claw.key') } }).then((it) => it.status), of(33));
      assert.equal(status, 404);
    },

    async 'a session of which nothing is written yet says why it cannot be renamed'(page) {
      await page.goto(`${server}/`);
      // A list that arrives between the aim and the click moves what is under it.
      await page.waitForSelector('#list li');
      await page.click('#begin > summary');
      await page.waitForSelector('#begin[open]');
      await press(page, 'Start');
      await phase(page, 'idle');
      await page.click('#about');
      await until(page, () => document.activeElement?.name === 'title');
      await page.keyboard.type('Too early');
      await page.keyboard.press('Enter');
      await shows(page, 'send the first prompt');
      await press(page, 'Cancel');
    },

    async 'on a phone the composer is one row, which grows with its text; Enter is a new line, and the button sends'(page) {
      await page.goto(server + of(20));
      await phase(page, 'idle');
      const height = () => page.$eval('#composer', (it) => it.offsetHeight);
      const one = await height();
      assert.ok(one <= 70, `${one} pixels`);
      const tops = await page.$$eval('.top > nav, .top > h1, .top > button', (all) => all.map((it) => it.getBoundingClientRect().top));
      assert.ok(Math.max(...tops) < 40, `the bar has one row of buttons: ${tops}`);
      assert.equal(await page.$eval('#prompt', (it) => it.enterKeyHint), 'enter');
      await page.click('#prompt');
      await page.keyboard.type('One');
      await page.keyboard.press('Enter');
      await page.keyboard.type('Two');
      await page.keyboard.press('Enter');
      await page.keyboard.type('Three');
      assert.equal(await page.$eval('#prompt', (it) => it.value), 'One\nTwo\nThree');
      assert.ok(await height() >= one + 40);
      await look(page, 'composer');
      // The rest unfolds.
      assert.equal(await page.$eval('#model', (it) => it.checkVisibility()), false);
      await page.click('#unfold');
      assert.equal(await page.$eval('#model', (it) => it.checkVisibility()), true);
      await look(page, 'composer-unfolded');
      await page.click('#unfold');
      assert.equal(await page.$eval('#model', (it) => it.checkVisibility()), false);
      const before = (await received('user')).length;
      await press(page, 'Send');
      await page.waitForSelector('#requests form');
      assert.equal((await received('user'))[before].message.content, 'One\nTwo\nThree');
      assert.equal(await height(), await page.$eval('#composer', (it) => it.offsetHeight));
      await press(page, 'Deny');
      await phase(page, 'idle');
    },

    async 'at a desk Enter sends, Shift+Enter is a new line; an input method and a paste of lines send nothing'() {
      await desk.goto(server + of(21));
      await phase(desk, 'idle');
      assert.equal(await desk.$eval('#prompt', (it) => it.enterKeyHint), 'send');
      assert.match(await desk.$eval('#send', (it) => it.title), /Enter sends/);
      const value = () => desk.$eval('#prompt', (it) => it.value);
      const before = (await received('user')).length;
      await desk.focus('#prompt');
      const client = await desk.createCDPSession();
      await client.send('Input.imeSetComposition', { text: 'とけい', selectionStart: 3, selectionEnd: 3 });
      // As browsers tell of it: the key is the input method's.
      await client.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', windowsVirtualKeyCode: 229, key: 'Enter', code: 'Enter' });
      await client.send('Input.insertText', { text: '時計' });
      assert.equal(await value(), '時計');
      await desk.keyboard.down('Shift');
      await desk.keyboard.press('Enter');
      await desk.keyboard.up('Shift');
      await desk.evaluate(() => {
        const lines = new DataTransfer();
        lines.setData('text/plain', 'a\nb\n\nc\n');
        const paste = new ClipboardEvent('paste', { clipboardData: lines, bubbles: true, cancelable: true });
        // The browser pastes what no script has taken.
        if (document.getElementById('prompt').dispatchEvent(paste)) document.execCommand('insertText', false, 'a\nb\n\nc\n');
      });
      assert.equal(await value(), '時計\na\nb\n\nc\n');
      assert.equal((await received('user')).length, before);
      await desk.keyboard.press('Enter');
      await desk.waitForSelector('#requests form');
      assert.equal((await received('user'))[before].message.content, '時計\na\nb\n\nc\n');
      await press(desk, 'Deny');
      await phase(desk, 'idle');
    },

    async 'code has colours, and is copied as it is'() {
      const code = await desk.$eval('.language-rust', (it) => it.textContent);
      assert.match(code, /let text = "<b>12<\/b>"; \/\/ noon\n/);
      const colours = () => desk.$$eval('.language-rust span', (all) => new Set(all.map((it) => getComputedStyle(it).color)).size);
      assert.ok(await colours() >= 4);
      assert.ok(await desk.$$eval('.language-ts span', (all) => all.length) >= 3);
      assert.equal(await desk.$$eval('.language-nosuch span', (all) => all.length), 0);
      assert.equal(await desk.$$eval('#log [style]', (all) => all.length), 0);
      await desk.evaluate(() => {
        window.copied = null;
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } });
      });
      await desk.$eval('.language-rust', (it) => it.parentElement.querySelector('.copy').click());
      assert.equal(await desk.evaluate(() => window.copied), code);
      await desk.evaluate(() => scrollTo(0, 0));
      await see('code');
    },

    async 'code has the name of its language beside the button, and is copied without it'() {
      const codes = () => desk.$$eval('#log .code', (all) => all.slice(0, 3).map((it) => {
        const name = getComputedStyle(it, '::before');
        const [block, button, text] = [it, it.querySelector('.copy'), it.querySelector('code')].map((part) => part.getBoundingClientRect());
        return {
          name: name.content, top: Math.abs(block.top + parseFloat(name.top) - button.top), height: parseFloat(name.lineHeight) - button.height,
          between: button.left - (block.left + parseFloat(name.left) + parseFloat(name.width)), below: text.top - button.bottom,
        };
      }));
      for (const width of [1280, 390]) {
        await desk.setViewport({ width, height: 800 });
        const all = await codes();
        assert.deepEqual(all.map((it) => it.name), ['"rust"', '"nosuch"', '"ts"']);
        for (const { name, top, height, between, below } of all) {
          assert.ok(top <= 1 && Math.abs(height) <= 1 && between > 0 && below >= 0, `${width}: ${name} ${[top, height, between, below]}`);
        }
      }
      await desk.setViewport({ width: 1280, height: 800 });
      // What is selected by hand has no name either.
      const selected = await desk.$eval('#log .code', (it) => {
        getSelection().selectAllChildren(it);
        const text = getSelection().toString();
        getSelection().removeAllRanges();
        return text;
      });
      assert.match(selected, /^\/\/\/ The time\.\nfn now/);
    },

    async 'code that grows is plain until it is closed'() {
      await desk.focus('#prompt');
      await desk.keyboard.type('Show me');
      await desk.keyboard.press('Enter');
      await shows(desk, 'fn grows()');
      const spans = () => desk.$$eval('#log > section:last-of-type .language-rust span', (all) => all.length);
      assert.equal(await spans(), 0);
      await direct('open', 'grown');
      await shows(desk, 'It is closed.');
      await phase(desk, 'idle');
      const last = await desk.$$eval('.language-rust', (all) => all.at(-1).querySelectorAll('span').length);
      assert.ok(last >= 2, `${last}`);
    },

    async 'the stream: waits that double, no two connections, nothing after a page is left'(page) {
      const module = await page.evaluate(() => document.querySelector('link[rel=stylesheet]').href.replace(/[^/]+$/, 'stream.js'));
      const result = await page.evaluate(async (module) => {
        const { stream } = await import(module);
        const real = { fetch: window.fetch, setTimeout: window.setTimeout, setInterval: window.setInterval };
        const sources = [];
        const waits = [];
        const later = (then, wait) => real.setTimeout.call(window, then, wait);
        // Longer than a frame, in which the stream reads together what arrives.
        const settled = () => new Promise((done) => { later(done, 50); });
        /** A connection that the server has accepted. */
        class Source {
          constructor({ signal, headers }) {
            this.isLiving = true;
            this.headers = headers;
            const body = new ReadableStream({ start: (it) => { this.controller = it; } });
            signal.addEventListener('abort', () => { this.isLiving = false; });
            sources.push(this);
            this.response = new Response(body);
          }
          /** In pieces, as a network may cut it. */
          async says(name, data) {
            const bytes = new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
            for (const byte of bytes) this.controller.enqueue(Uint8Array.of(byte));
            await settled();
          }
          async closes() { this.isLiving = false; this.controller.close(); await settled(); }
        }
        const living = () => sources.filter((it) => it.isLiving).length;
        const random = Math.random;
        Math.random = () => 1;
        // The page's own stream is not looked at.
        window.fetch = async (url, options) => (url === '/x' ? new Source(options).response : new Promise(() => {}));
        window.setTimeout = (then, wait) => (wait < 100 ? later(then, wait) : waits.push([wait, then]));
        window.setInterval = () => 0;
        const seen = [];
        const lists = [];
        const reasons = [];
        let isThere = false;
        let helps = true;
        try {
          stream({
            path: () => '/x', joined: 'list', events: { told: (data) => seen.push(data), list: (data) => lists.push(data) }, lost: (why) => reasons.push(why?.message ?? why),
            check: async () => { if (!isThere) throw new Error('away'); return helps; },
          });
          await sources[0].says('told', 'ä');
          await sources[0].closes();
          for (let n = 0; n < 7; n++) { waits.at(-1)[1](); await settled(); }
          const delays = waits.map(([wait]) => wait);
          // It is there again.
          isThere = true;
          waits.at(-1)[1]();
          await settled();
          await sources.at(-1).says('told', 2);
          // Lists that arrive together are one list, unless something else is between them.
          const events = [['list', [1]], ['list', [2, 3]], ['told', 2.5], ['list', [4]]];
          const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
          sources.at(-1).controller.enqueue(new TextEncoder().encode(text));
          await settled();
          const before = sources.length;
          // Somebody looks at it: what is connected stays, and what is not connects at once.
          document.dispatchEvent(new Event('visibilitychange'));
          const kept = sources.length === before;
          await sources.at(-1).closes();
          document.dispatchEvent(new Event('visibilitychange'));
          await settled();
          const woken = sources.length === before + 1;
          const one = living();
          const old = sources.at(-1);
          dispatchEvent(new Event('offline'));
          dispatchEvent(new Event('online'));
          await settled();
          const online = [sources.length === before + 2, living()];
          // What an old connection says does not count.
          await old.says('told', 'old');
          // Logged out: nobody asks again and again.
          helps = false;
          await sources.at(-1).says('told', 3);
          await sources.at(-1).closes();
          const asked = waits.length;
          waits.at(-1)[1]();
          await settled();
          const out = [waits.length === asked, living()];
          dispatchEvent(new Event('pageshow'));
          const shown = living();
          dispatchEvent(new Event('pagehide'));
          const areKeyed = sources.every((it) => it.headers['x-claw-key'] === localStorage.getItem('claw.key'));
          return { areKeyed, seen, lists, reasons, delays, kept, woken, one, online, out, shown, left: living() };
        } finally {
          Object.assign(window, real);
          Math.random = random;
        }
      }, module);
      assert.deepEqual(result, {
        areKeyed: true,
        seen: ['ä', 2, 2.5, 3],
        lists: [[1, 2, 3], [4]],
        reasons: ['closed', ...Array(7).fill('away'), 'closed', 'offline', 'closed'],
        delays: [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000],
        kept: true, woken: true, one: 1, online: [true, 1], out: [true, 0], shown: 1, left: 0,
      });
      await desk.browserContext().close();
      await other.browserContext().close();
    },
  };
}
