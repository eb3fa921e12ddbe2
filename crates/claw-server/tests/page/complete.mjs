// Completion in the prompt, and what can be chosen: from the lists of the CLI and the files of the project.
import assert from 'node:assert/strict';

export function steps({ server, begin, direct, look, open, phase, press, prompt, received, said, shows, tap }) {
  const names = (page) => page.$$eval('#suggestions > [role=option] > span', (all) => all.map((it) => it.textContent));
  const offers = (page, ...wanted) => page.waitForFunction((wanted) => {
    const list = document.getElementById('suggestions');
    const all = [...list.querySelectorAll('span')].map((it) => it.textContent);
    return !list.hidden && JSON.stringify(all) === JSON.stringify(wanted);
  }, { polling: 50 }, wanted);
  const isClosed = (page) => page.waitForFunction(() => document.getElementById('suggestions').hidden, { polling: 50 });
  const value = (page) => page.$eval('#prompt', (it) => it.value);
  const active = (page) => page.evaluate(() => {
    const id = document.getElementById('prompt').getAttribute('aria-activedescendant');
    const it = id && document.getElementById(id);
    return it && it.ariaSelected === 'true' && it.role === 'option' ? it.querySelector('span').textContent : null;
  });
  const empty = async (page) => {
    await page.$eval('#prompt', (it) => { it.focus(); it.select(); });
    await page.keyboard.press('Backspace');
    await isClosed(page);
  };
  const options = (page, selector) => page.$$eval(`${selector} > option`, (all) => all.filter((it) => !it.disabled).map((it) => it.value));
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 400); }));
  /** A window without a phone's keyboard, whose Enter sends. */
  let desk = null;

  return {
    async 'before a process has started nothing is known, and nothing is made up'(page) {
      const place = await begin(page, 'complete');
      desk = await open(place, { width: 1280 });
      await phase(desk, 'idle');
      assert.deepEqual(await options(desk, '#model'), ['default']);
      await desk.waitForFunction(() => document.querySelectorAll('#mode > option').length === 4, { polling: 50 });
      assert.deepEqual(await options(desk, '#mode'), ['default', 'acceptEdits', 'plan', 'dontAsk']);
      assert.equal(await desk.$eval('#effort', (it) => it.checkVisibility()), false);
      await desk.type('#prompt', '/comp');
      await settled(desk);
      await isClosed(desk);
      await desk.keyboard.press('Enter');
      await shows(desk, 'Ready for commands.');
      await phase(desk, 'idle');
      assert.equal((await received('user', null, 'complete')).at(-1).message.content, '/comp');
    },

    async 'models, modes and effort are those of the CLI'() {
      await desk.waitForFunction(() => document.querySelectorAll('#model > option').length === 3, { polling: 50 });
      assert.deepEqual(await options(desk, '#model'), ['default', 'opus', 'haiku']);
      assert.deepEqual(await options(desk, '#mode'), ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto']);
      assert.deepEqual(await options(desk, '#effort'), ['default', 'low', 'high']);
      await look(desk, 'offers');
      await desk.select('#model', 'opus');
      assert.deepEqual(await options(desk, '#effort'), ['default', 'low', 'high', 'max']);
      await desk.select('#effort', 'max');
      await desk.select('#mode', 'auto');
      const sent = async (subtype) => (await received('control_request', subtype, 'complete')).at(-1)?.request;
      const until = async (subtype, is) => { while (!is(await sent(subtype) ?? {})) await settled(desk); };
      await until('set_permission_mode', (it) => it.mode === 'auto');
      await until('apply_flag_settings', (it) => it.settings.effortLevel === 'max');
      await until('set_model', (it) => it.model === 'opus');
      // What the model does not support is not offered.
      await desk.select('#model', 'haiku');
      assert.deepEqual(await options(desk, '#mode'), ['default', 'acceptEdits', 'plan', 'dontAsk']);
      assert.equal(await desk.$eval('#effort', (it) => it.checkVisibility()), false);
      await desk.select('#model', 'default');
      const status = await desk.evaluate(async () => {
        const headers = { 'content-type': 'application/json', 'x-claw-key': localStorage.getItem('claw.key') };
        const body = JSON.stringify({ effort: 'nonsense' });
        return (await fetch(`/api/sessions/${document.body.dataset.session}/settings`, { method: 'POST', headers, body })).status;
      });
      assert.equal(status, 400);
    },

    async 'commands: arrows, Enter, Tab, Escape, and their arguments'() {
      await desk.type('#prompt', '/');
      await offers(desk, '/compact', '/clear', '/code-review', '/hostile');
      assert.equal(await active(desk), '/compact');
      await look(desk, 'commands');
      await desk.keyboard.press('ArrowDown');
      assert.equal(await active(desk), '/clear');
      await desk.keyboard.press('ArrowUp');
      await desk.keyboard.press('ArrowUp');
      assert.equal(await active(desk), '/hostile');
      assert.equal(await desk.evaluate(() => typeof window.ran), 'undefined');
      // Typing goes on, and the list with it.
      await desk.keyboard.type('co');
      await offers(desk, '/compact', '/code-review');
      await desk.keyboard.press('Tab');
      assert.equal(await value(desk), '/compact ');
      await isClosed(desk);
      await shows(desk, '/compact <instructions>');
      assert.equal(await desk.evaluate(() => document.activeElement.id), 'prompt');
      await look(desk, 'arguments');
      await empty(desk);
      // Escape closes and loses nothing. It interrupts nothing either, and Enter sends what is written.
      await desk.keyboard.type('/cl');
      await offers(desk, '/clear');
      await desk.keyboard.press('Escape');
      await isClosed(desk);
      assert.equal(await value(desk), '/cl');
      await desk.keyboard.type('e');
      await settled(desk);
      await isClosed(desk);
      await empty(desk);
      await desk.keyboard.type('/cle');
      await offers(desk, '/clear');
      await desk.keyboard.press('Enter');
      assert.equal(await value(desk), '/clear ');
      // It can be undone.
      await desk.keyboard.down('Control');
      await desk.keyboard.press('z');
      await desk.keyboard.up('Control');
      assert.equal(await value(desk), '/cle');
      await empty(desk);
      assert.equal((await received('user', null, 'complete')).length, 1);
    },

    async 'a command that is written whole is sent by one Enter'() {
      await desk.type('#prompt', '/compact');
      await offers(desk, '/compact');
      await desk.keyboard.press('Enter');
      await shows(desk, 'Reloaded.');
      await phase(desk, 'idle');
      assert.equal((await received('user', null, 'complete')).at(-1).message.content, '/compact');
    },

    async 'the list is the newest that the CLI has sent'() {
      await desk.type('#prompt', '/g');
      await offers(desk, '/greet');
      await empty(desk);
      await desk.type('#prompt', '/hos');
      await settled(desk);
      await isClosed(desk);
      await empty(desk);
    },

    async 'files of the project: those of git, folder by folder, names with spaces'() {
      const asked = [];
      const count = (request) => { if (request.url().includes('/files?')) asked.push(new URL(request.url()).searchParams.get('q')); };
      desk.on('request', count);
      await desk.type('#prompt', 'Read @');
      await desk.waitForFunction(() => document.querySelectorAll('#suggestions > div').length > 4, { polling: 50 });
      const all = await names(desk);
      assert.ok(all.includes('@.env.example') && all.includes('@src/main.rs') && all.includes('@my notes/'), all.join(' '));
      assert.ok(!all.some((it) => it.includes('target') || it.includes('.git/')), all.join(' '));
      assert.equal(await desk.$$eval('#suggestions img', (all) => all.length), 0);
      await look(desk, 'mentions');
      asked.length = 0;
      await desk.keyboard.type('main', { delay: 10 });
      await offers(desk, '@src/main.rs');
      // One question for a pause, and not for each letter.
      await settled(desk);
      assert.deepEqual(asked, ['main']);
      await desk.keyboard.press('Enter');
      assert.equal(await value(desk), 'Read @src/main.rs ');
      await desk.keyboard.type('and @src/pa');
      await offers(desk, '@src/parser/', '@src/parser/mod.rs');
      await desk.keyboard.press('Enter');
      await desk.waitForFunction(() => document.getElementById('prompt').value.endsWith('@src/parser/'));
      await offers(desk, '@src/parser/mod.rs');
      await desk.keyboard.press('Tab');
      assert.equal(await value(desk), 'Read @src/main.rs and @src/parser/mod.rs ');
      await desk.keyboard.type('@plan');
      await offers(desk, '@my notes/a plan.md');
      await desk.keyboard.press('Tab');
      assert.ok((await value(desk)).endsWith('@"my notes/a plan.md" '), await value(desk));
      // An address is no file.
      await desk.keyboard.type('me@main');
      await settled(desk);
      await isClosed(desk);
      await desk.keyboard.press('Enter');
      await shows(desk, 'Taken.');
      await phase(desk, 'idle');
      desk.off('request', count);
    },

    async 'a late answer is dropped, and an input method is left alone'() {
      // The answer to `s` is held back until that to `src/m` was shown.
      await desk.setRequestInterception(true);
      let held = null;
      const hold = (request) => {
        if (request.url().endsWith('/files?q=s') && !held) held = request; else request.continue();
      };
      desk.on('request', hold);
      await desk.type('#prompt', '@s');
      while (!held) await settled(desk);
      await desk.keyboard.type('rc/m');
      await offers(desk, '@src/main.rs', '@src/parser/mod.rs');
      await held.continue().catch(() => {});
      await settled(desk);
      assert.deepEqual(await names(desk), ['@src/main.rs', '@src/parser/mod.rs']);
      desk.off('request', hold);
      await desk.setRequestInterception(false);
      const client = await desk.createCDPSession();
      await client.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
      await client.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
      assert.equal(await value(desk), '@src/m');
      await empty(desk);
      await client.send('Input.imeSetComposition', { text: '@ま', selectionStart: 2, selectionEnd: 2 });
      await settled(desk);
      await isClosed(desk);
      await client.send('Input.insertText', { text: '@main' });
      await offers(desk, '@src/main.rs');
      await empty(desk);
    },

    async 'by touch on a phone'(page) {
      await page.bringToFront();
      await page.tap('#prompt');
      await page.type('#prompt', '/');
      await offers(page, '/compact', '/greet');
      await look(page, 'commands-phone');
      await page.tap('#suggestions > div:nth-child(2)');
      assert.equal(await value(page), '/greet ');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'prompt');
      await empty(page);
      // Elsewhere, the list goes.
      await page.type('#prompt', '/');
      await offers(page, '/compact', '/greet');
      await page.tap('#title');
      await page.evaluate(() => document.activeElement.blur());
      await isClosed(page);
      await empty(page);
    },

    async 'a new session is offered what its project has'(page) {
      await page.goto(`${server}/`);
      await page.click('#begin > summary');
      const places = () => page.$$eval('#start select, #start button', (all) => all.map((it) => `${it.name} ${it.getBoundingClientRect().top + scrollY}`));
      const before = await places();
      assert.ok(before.length > 4);
      assert.equal(await page.$eval('#start select[name=effort]', (it) => it.disabled), true);
      await page.select('#start select[name=project]', 'complete');
      await page.waitForFunction(() => document.querySelectorAll('#start select[name=model] > option').length === 3, { polling: 50 });
      // The choices move nothing below a finger.
      assert.deepEqual(await places(), before);
      assert.equal(await page.$eval('#start select[name=effort]', (it) => it.disabled), false);
      assert.deepEqual(await options(page, '#start select[name=mode]'), ['project', 'default', 'acceptEdits', 'plan', 'dontAsk', 'auto']);
      await page.select('#start select[name=model]', 'opus');
      await page.select('#start select[name=effort]', 'max');
      await look(page, 'new-session');
      await press(page, 'Start');
      await phase(page, 'idle');
      await page.waitForFunction(() => document.getElementById('effort').value === 'max', { polling: 50 });
      assert.equal(await page.$eval('#model', (it) => it.value), 'opus');
      await page.goto(`${server}/`);
      await page.click('#begin > summary');
      await page.select('#start select[name=project]', 'real');
      await page.waitForFunction(() => document.querySelectorAll('#start select[name=model] > option').length === 1, { polling: 50 });
    },

    async 'the real claude: its commands, its models, and a file whose name has a space'(page) {
      await begin(page, 'real');
      await prompt(page, 'Hello');
      await said(page, 'Yes.', 1);
      await page.waitForFunction(() => document.querySelectorAll('#model > option').length > 2, { polling: 50 });
      assert.ok((await options(page, '#mode')).includes('auto'));
      assert.ok((await options(page, '#effort')).length > 3);
      await page.type('#prompt', '/compac');
      await page.waitForFunction(() => document.querySelector('#suggestions span')?.textContent === '/compact', { polling: 50 });
      await look(page, 'commands-real');
      await empty(page);
      await page.type('#prompt', 'Say @two');
      await offers(page, '@two words.txt');
      await tap(await page.$('#suggestions > div'));
      assert.equal(await value(page), 'Say @"two words.txt" ');
      await press(page, 'Send');
      await said(page, 'Yes.', 2);
      assert.match(await direct('asked-of', 'Say @'), /The words are apples and pears/);
      // Names that need quotes: the file of the name is read, and no other one.
      let turns = 2;
      for (const [number, name] of ['name é ü.txt', 'name dot.', 'name trail)', 'name x@in.txt'].entries()) {
        await page.type('#prompt', `Say @"${name.slice(0, 6)}`);
        const offered = () => page.waitForFunction((name) => {
          const all = [...document.querySelectorAll('#suggestions > div')];
          return !document.getElementById('suggestions').hidden && all.find((it) => it.querySelector('span').textContent === `@${name}`);
        }, { polling: 50 }, name);
        // The answer to the last letter draws the list anew, perhaps while it is tapped.
        for (let isTapped = false; !isTapped;) {
          isTapped = await tap(await offered()).then(() => true, (error) => {
            if (!error.message.includes('detached')) throw error;
          });
        }
        assert.equal(await value(page), `Say @"${name}" `);
        await press(page, 'Send');
        await said(page, 'Yes.', turns += 1);
        assert.ok(await direct('asked-of', `FILE-${number}-END`), name);
      }
      assert.equal(await direct('asked-of', 'ANOTHER-FILE'), null);
      // Names that the CLI would take for others are not offered.
      for (const text of ['@odd', '@"odd ', '@"odd @in.txt/']) {
        await page.type('#prompt', text);
        await settled(page);
        await settled(page);
        assert.deepEqual(await names(page).then((all) => all.filter((it) => it.includes('odd'))), [], text);
        await empty(page);
      }
      await desk.browserContext().close();
    },
  };
}
