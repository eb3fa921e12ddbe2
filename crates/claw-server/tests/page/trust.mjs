// What a person relies on: keys that allow nothing by themselves, words for what is allowed, and what is seen of the
// state. Each step has a session of its own, in the project of its scripted agent (trust.rs).
import assert from 'node:assert/strict';

export function trust({ server, begin, decision, direct, lacks, look, open, phase, press, prompt, received, shows, tap, tabTo, textOf }) {
  const answers = async (project) => (await received('control_response', null, project)).length;
  const interrupts = async (project) => (await received('control_request', 'interrupt', project)).length;
  const focus = (page, selector) => page.$eval(selector, (it) => it.focus());
  const active = (page) => page.evaluate(() => {
    const it = document.activeElement;
    return it.name || it.value || it.id;
  });
  /** Whether a person sees it without scrolling. */
  const inSight = (page, selector) => page.waitForFunction((selector) => {
    const it = document.querySelector(selector);
    if (!it?.checkVisibility()) return false;
    const box = it.getBoundingClientRect();
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height / 2, 20));
    return box.top >= 0 && box.top < innerHeight && (it.contains(at) || at?.contains(it));
  }, { polling: 50 }, selector);
  /** What has no event to wait for would have happened by then. */
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 300); }));
  const offline = (page, isOffline) => page.setOfflineMode(isOffline);

  return {
    async 'keys: Enter in a reason denies, and no key allows by the way'(page) {
      await begin(page, 'permission');
      await prompt(page, 'Clean');
      await page.waitForSelector('#requests form');
      // Enter in a field without a reason, and on what is wide, is no answer.
      await focus(page, '#requests input[name=message]');
      await page.keyboard.press('Enter');
      await focus(page, '#requests [data-wide]');
      await page.keyboard.press('Enter');
      await settled(page);
      assert.equal(await answers('permission'), 0);
      await focus(page, '#requests input[name=message]');
      await page.keyboard.type('Not the build');
      await page.keyboard.press('Enter');
      await shows(page, 'It was denied.');
      await phase(page, 'idle');
      const denied = await decision('permission');
      assert.deepEqual([denied.behavior, denied.message], ['deny', 'Not the build']);
      // While an input method composes, Enter is its own.
      await prompt(page, 'Again');
      await page.waitForSelector('#requests form');
      await focus(page, '#requests input[name=message]');
      const client = await page.createCDPSession();
      await client.send('Input.imeSetComposition', { text: 'だ', selectionStart: 1, selectionEnd: 1 });
      await client.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
      await client.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
      await settled(page);
      assert.equal(await answers('permission'), 1);
      await client.send('Input.insertText', { text: 'だめ' });
      await page.keyboard.press('Enter');
      await phase(page, 'idle');
      const composed = await decision('permission');
      assert.deepEqual([composed.behavior, composed.message], ['deny', 'だめ']);
    },

    async 'a double click answers one request, which is shown whole'(page) {
      await begin(page, 'double');
      await prompt(page, 'Both');
      await page.waitForFunction(() => document.querySelectorAll('#requests form').length === 2);
      // Nobody can allow what is not shown.
      assert.match(await textOf(page, '#requests form'), /touch (one|another)\n[^]*dangerouslyDisableSandbox: true/);
      await look(page, 'double');
      await tap(await page.$('#requests button[value=allow]'));
      await page.waitForFunction(() => document.querySelectorAll('#requests form').length === 1);
      const next = await page.$('#requests button[value=allow]');
      const { x, y } = await next.clickablePoint();
      await page.mouse.move(x, y);
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      await settled(page);
      assert.equal(await answers('double'), 1);
      await tap(next);
      await shows(page, 'Both are answered.');
      await phase(page, 'idle');
    },

    async 'an answer whose response is lost was one'(page) {
      const before = await answers('permission');
      await begin(page, 'permission');
      await prompt(page, 'Clean');
      await page.waitForSelector('#requests form');
      const client = await page.createCDPSession();
      await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/requests/*', requestStage: 'Response' }] });
      const lost = new Promise((done) => { client.once('Fetch.requestPaused', done); });
      await press(page, 'Deny');
      const { requestId } = await lost;
      await shows(page, 'It was denied.');
      await client.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' });
      await client.send('Fetch.disable');
      await shows(page, 'denied by a phone');
      assert.equal(await page.$('#requests form'), null);
      assert.equal(await answers('permission'), before + 1);
    },

    async 'always: each suggestion is in words, and says where it is kept'(page) {
      await begin(page, 'permission');
      await prompt(page, 'Clean');
      await page.waitForSelector('#requests form');
      const [rule, mode] = await page.$$eval('#requests .always', (all) => all.map((it) => it.innerText));
      assert.match(rule, /^Always: rm -rf build.*\s+written to .*settings\.local\.json: for good, for you in this project$/);
      assert.match(mode, /^Allow, and use the mode acceptEdits\s+acceptEdits, which changes and deletes files in the session's folders without asking \(until this session's process ends/);
      await look(page, 'suggestions');
      await tap(await page.$('#requests [data-suggestion="0"]'));
      await shows(page, 'It was allowed.');
      const { behavior, updatedPermissions } = await decision('permission');
      assert.equal(behavior, 'allow');
      assert.deepEqual(updatedPermissions.map((it) => it.type), ['addRules']);
    },

    async 'keys: Enter in the form of a plan'(page) {
      await begin(page, 'plan');
      await prompt(page, 'Plan');
      await page.waitForSelector('#requests form');
      await focus(page, '#requests input[name=message]');
      await page.keyboard.press('Enter');
      await settled(page);
      assert.equal(await answers('plan'), 0);
      await page.keyboard.type('Shorter');
      await page.keyboard.press('Enter');
      await phase(page, 'idle');
      const denied = await decision('plan');
      assert.deepEqual([denied.behavior, denied.message], ['deny', 'Shorter']);
    },

    async 'an empty plan is none'(page) {
      await begin(page, 'no-plan');
      await prompt(page, 'Plan');
      await page.waitForSelector('#requests form');
      const text = await textOf(page, '#requests form');
      assert.match(text, /no plan/);
      assert.doesNotMatch(text, /Approve/);
      await look(page, 'no-plan');
      await press(page, 'Keep planning');
      await phase(page, 'idle');
      assert.equal((await decision('no-plan')).behavior, 'deny');
    },

    async 'a question with its header and previews; Enter answers nothing'(page) {
      await begin(page, 'question');
      await prompt(page, 'Ask');
      await page.waitForSelector('#requests form');
      const text = await textOf(page, '#requests form');
      for (const shown of ['LOOK', 'NAME', '| dark |']) assert.ok(text.toUpperCase().includes(shown.toUpperCase()), shown);
      await look(page, 'preview');
      await focus(page, '#requests fieldset:first-of-type input[type=text]');
      await page.keyboard.type('Blue');
      await page.keyboard.press('Enter');
      await settled(page);
      assert.equal(await answers('question'), 0);
      await tabTo(page, '#requests fieldset:nth-of-type(2) input');
      await page.keyboard.press('Space');
      await page.keyboard.press('Enter');
      await settled(page);
      assert.equal(await answers('question'), 0);
      await tabTo(page, '#requests button[value=allow]');
      await page.keyboard.press('Enter');
      await phase(page, 'idle');
      const { updatedInput } = await decision('question');
      assert.deepEqual(updatedInput.answers, { 'Which look?': 'Blue', 'Which name?': 'Clock' });
    },

    async 'Escape stops a turn from the conversation and the empty prompt alone'(page) {
      await begin(page, 'escape');
      await prompt(page, 'Clean');
      await page.waitForSelector('#requests form');
      await focus(page, '#requests input[name=message]');
      await page.keyboard.type('Half a reason');
      await page.keyboard.press('Escape');
      await settled(page);
      assert.equal(await interrupts('escape'), 0);
      await press(page, 'Deny');
      await phase(page, 'idle');
      await prompt(page, 'Go on');
      await shows(page, 'Until Escape.');
      await page.type('#prompt', 'A thought');
      await page.keyboard.press('Escape');
      await focus(page, '#model');
      await page.keyboard.press('Escape');
      await page.$eval('#prompt', (it) => { it.value = ''; it.focus(); });
      const client = await page.createCDPSession();
      await client.send('Input.imeSetComposition', { text: 'し', selectionStart: 1, selectionEnd: 1 });
      await client.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 229 });
      await client.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 });
      await settled(page);
      assert.equal(await interrupts('escape'), 0);
      await client.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 });
      assert.equal(await page.$eval('#prompt', (it) => it.value), '');
      await page.keyboard.press('Escape');
      await phase(page, 'idle');
      assert.equal(await interrupts('escape'), 1);
    },

    async 'a turn that was stopped is an interruption'(page) {
      await begin(page, 'stopped');
      await prompt(page, 'Go on');
      await shows(page, 'This takes long.');
      await press(page, 'Stop');
      await phase(page, 'idle');
      await page.waitForSelector('section.turnEnd');
      const text = await textOf(page, 'body');
      assert.doesNotMatch(text, /ede_diagnostic|error:/);
      assert.match(text, /interrupted: \d+ turn/);
      assert.ok(await page.$('section.turnEnd.warning'));
      await look(page, 'stopped');
    },

    async 'a request leaves a reader where he is'(page) {
      await begin(page, 'scrolled');
      await prompt(page, 'Clean');
      await shows(page, 'Line 120.');
      await page.evaluate(() => scrollTo(0, 1000));
      await page.waitForFunction(() => scrollY === 1000);
      await direct('open', 'scrolled');
      await page.waitForSelector('#requests form');
      await settled(page);
      assert.equal(await page.evaluate(() => scrollY), 1000);
      await inSight(page, '#newer');
      assert.match(await textOf(page, '#newer'), /Claude asks/);
      await look(page, 'scrolled');
      await page.click('#newer');
      await inSight(page, '#requests button[value=deny]');
      await page.waitForFunction(() => document.getElementById('newer').hidden);
      await press(page, 'Deny');
      await phase(page, 'idle');
    },

    async 'a lost connection is seen wherever one reads'(page) {
      await begin(page, 'lost');
      await prompt(page, 'Talk');
      await shows(page, 'Line 120.');
      await phase(page, 'running');
      await page.waitForFunction(() => scrollY > 1000);
      await offline(page, true);
      await inSight(page, '#offline');
      assert.doesNotMatch(await textOf(page, '#phase'), /Working/);
      await look(page, 'offline');
      await offline(page, false);
      await phase(page, 'running');
      assert.equal(await page.$eval('#offline', (it) => it.checkVisibility()), false);
      await direct('open', 'lost');
      await phase(page, 'idle');
    },

    async 'a connection that is silent is seen, also while nothing answers'(page) {
      const client = await page.createCDPSession();
      await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/stream?*' }] });
      const asked = new Promise((done) => { client.once('Fetch.requestPaused', done); });
      // A phone that wakes up.
      await page.evaluate(() => {
        const { now } = Date;
        Date.now = () => now() + 60_000;
        document.dispatchEvent(new Event('visibilitychange'));
      });
      const { requestId } = await asked;
      await inSight(page, '#offline');
      assert.match(await textOf(page, '#phase'), /Not connected/);
      await client.send('Fetch.continueRequest', { requestId });
      await client.send('Fetch.disable');
      await phase(page, 'idle');
      assert.equal(await page.$eval('#offline', (it) => it.checkVisibility()), false);
    },

    async '"Not sent" goes when it was sent'(page) {
      // The server takes the prompt, and its answer is lost.
      const client = await page.createCDPSession();
      await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/prompts', requestStage: 'Response' }] });
      const lost = new Promise((done) => { client.once('Fetch.requestPaused', done); });
      await page.type('#prompt', 'It may arrive');
      await press(page, 'Send');
      const { requestId } = await lost;
      await shows(page, 'It had arrived.');
      await client.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' });
      await client.send('Fetch.disable');
      await page.waitForFunction(() => document.getElementById('prompt').value === '');
      assert.equal(await page.$eval('#unsent', (it) => it.hidden), true);
      assert.equal((await received('user', null, 'lost')).length, 2);
      // What did not arrive says so, and is sent once when the server is there again.
      await offline(page, true);
      await page.type('#prompt', 'Not yet');
      await press(page, 'Send');
      await inSight(page, '#outbox');
      assert.match(await textOf(page, '#outbox'), /^Not sent yet\. It is sent when the server is there again\.\s+Not yet/);
      assert.equal(await page.$eval('#prompt', (it) => it.value), '');
      await look(page, 'unsent');
      await offline(page, false);
      await page.waitForFunction(() => document.getElementById('outbox').hidden, { polling: 50 });
      await phase(page, 'idle');
      assert.equal((await received('user', null, 'lost')).filter((it) => JSON.stringify(it).includes('Not yet')).length, 1);
    },

    async 'what a tool gives: the end of a failure, no colours, nothing for the model alone'(page) {
      await begin(page, 'shown');
      await prompt(page, 'Test');
      await shows(page, 'It is under way.');
      await phase(page, 'idle');
      const text = await textOf(page, '#log');
      assert.match(text, /error: the clock is wrong/);
      assert.doesNotMatch(text, /\\u\{1b\}|internal ID|never quote|output_file/);
      assert.doesNotMatch(text, /^ok 3$/m);
      await look(page, 'failure');
      await page.$eval('section.toolResult.bad summary', (it) => it.click());
      await shows(page, 'ok 3\n');
      assert.match(await textOf(page, 'section.toolResult.bad'), /Exit code 101[^]*ok 3\n[^]*ok 40\n/);
    },

    async 'files: documents and other files are sent, and what cannot be sent is named'(page) {
      const attach = (name, type, text) => page.evaluate((name, type, text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name, { type }));
        document.getElementById('files').files = data.files;
        document.getElementById('files').dispatchEvent(new Event('change'));
      }, name, type, text);
      await attach('empty.zip', 'application/zip', '');
      await shows(page, 'empty.zip');
      assert.match(await textOf(page, '#unsent'), /empty\.zip\. Empty/);
      await look(page, 'refused');
      // Dropped beside the field, a file does not take the place of the page.
      const client = await page.createCDPSession();
      const data = { items: [], files: [new URL(import.meta.url).pathname], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await client.send('Input.dispatchDragEvent', { type, x: 100, y: 200, data });
      }
      await shows(page, 'trust.mjs');
      await page.click('#pictures button');
      await lacks(page, 'trust.mjs');
      await attach('clock.zip', 'application/zip', 'PK\0');
      await attach('paper.pdf', 'application/pdf', '%PDF-1.4');
      await attach('notes.md', 'text/markdown', '# Clöck');
      await page.waitForFunction(() => document.querySelectorAll('#pictures figure').length === 3);
      await look(page, 'files');
      await prompt(page, 'Read them');
      await shows(page, 'I have read them.');
      await phase(page, 'idle');
      const { content } = (await received('user', null, 'shown')).at(-1).message;
      assert.deepEqual(content.map((it) => [it.type, it.title, it.source?.type, it.source?.media_type, it.source?.data ?? it.text]), [
        ['document', 'paper.pdf', 'base64', 'application/pdf', btoa('%PDF-1.4')],
        ['document', 'notes.md', 'text', 'text/plain', '# Clöck'],
        ['text', undefined, undefined, undefined, content[2].text],
      ]);
      // The zip is on the disk, and the prompt names it.
      assert.match(content[2].text, /^Read them\n\n@\.claude\/uploads\/[0-9a-f]{32}-clock\.zip$/);
      await shows(page, 'paper.pdf');
    },

    async 'a change has the line numbers of the file'(page) {
      await begin(page, 'numbered');
      await page.setViewport({ width: 390, height: 664, isMobile: true, hasTouch: true });
      await prompt(page, 'Change it');
      await page.waitForSelector('#requests .diff');
      // It is longer than a phone: one reads it from its beginning, and the button leads on.
      await inSight(page, '#requests h2');
      await page.click('#newer');
      await inSight(page, '#requests button[value=deny]');
      const numbers = await page.$$eval('#requests .diff > div', (all) => all.map((it) => it.textContent));
      assert.ok(numbers.includes('42-line 42') && numbers.includes('42+line forty-two'), numbers.join(' '));
      await look(page, 'numbered');
      // Above, where the file was not looked at, there are no numbers that would be wrong.
      assert.deepEqual(await page.$$eval('#log .diff b', (all) => all.map((it) => it.textContent).filter((it) => /\d/.test(it))), []);
      await press(page, 'Deny');
      await phase(page, 'idle');
    },

    async 'the list: what goes wrong is seen at its end too, and another device logs in'(page) {
      await page.goto(`${server}/`);
      // A session that works is listed before the others are.
      await page.waitForFunction(() => document.getElementById('list').ariaBusy === 'false', { polling: 50 });
      await offline(page, true);
      await press(page, 'Log in another device');
      await inSight(page, '#trouble');
      assert.ok(await page.evaluate(() => scrollY > 0));
      await look(page, 'list-trouble');
      await offline(page, false);
      await press(page, 'Log in another device');
      await inSight(page, '#login img');
      assert.match(await textOf(page, 'main'), /Scan or open this on the other device\./);
      assert.match(await textOf(page, '#login code'), /^http:\/\/192\.168\.1\.5:8000\/login\//);
      // The code is drawn: it has a size of its own.
      assert.ok(await page.$eval('#login img', (it) => it.complete && it.naturalWidth > 0));
      assert.equal(await page.$eval('#trouble', (it) => it.hidden), true);
      await look(page, 'device');
    },
  };
}
