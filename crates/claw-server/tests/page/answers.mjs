// Requests are answered in one tap, from the list too, and none without having been on the screen.
import assert from 'node:assert/strict';

export function steps({ server, begin, decision, direct, look, open, phase, press, prompt, received, shows, tap, tabTo, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const answers = async (project) => (await received('control_response', null, project)).length;
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 600); }));
  const asked = (page) => page.waitForSelector('#requests form:not([data-settling])');
  const always = (page, text) => page.waitForSelector(`::-p-xpath(//button[@value="allowAlways"][contains(., "${text}")])`);

  return {
    async 'each suggestion is a button that says what it does, and what is wide needs a second press'(page) {
      await begin(page, 'always');
      await prompt(page, 'Install');
      await asked(page);
      const labels = await page.$$eval('#requests .answers button > span', (all) => all.map((it) => it.textContent));
      assert.equal(labels[0], 'Always: npm install *');
      assert.equal(labels[1], 'Allow, and use the mode acceptEdits');
      assert.match(labels[2], /^Allow, and add the folder \/.*always$/);
      assert.match(await textOf(page, '#requests'), /for good, for you in this project[^]*changes and deletes files/);
      // All answers are on the screen of a phone, of which the browser takes a part.
      await page.setViewport({ width: 390, height: 664, isMobile: true, hasTouch: true });
      await until(page, () => {
        const [top, bottom] = [document.querySelector('.top').getBoundingClientRect().bottom, document.getElementById('composer').getBoundingClientRect().top];
        const boxes = [...document.querySelectorAll('#requests .answers button')].map((it) => it.getBoundingClientRect());
        return boxes.length === 5 && boxes.every((box) => box.top >= top && box.bottom <= bottom && box.height >= 44);
      });
      await look(page, 'always');
      // What is wide is allowed by no first press, and by no double click.
      for (const text of ['the mode acceptEdits', 'add the folder']) {
        await (await always(page, text)).click({ count: 2 });
        await settled(page);
        assert.equal(await answers('always'), 0);
      }
      // One of them waits for its second press at a time.
      assert.deepEqual(await page.$$eval('[data-armed-at] > span', (all) => all.map((it) => it.textContent.slice(0, 30))), ['Press again: Allow, and add th']);
      await look(page, 'always-again');
      await tap(await always(page, 'the mode acceptEdits'));
      await settled(page);
      assert.equal(await answers('always'), 0);
      await tap(await always(page, 'the mode acceptEdits'));
      await shows(page, 'It was answered.');
      await phase(page, 'idle');
      assert.deepEqual((await decision('always')).updatedPermissions.map((it) => it.type), ['setMode']);
      // A command like this one is allowed in one tap.
      await prompt(page, 'Install again');
      await asked(page);
      await tap(await always(page, 'npm install'));
      await phase(page, 'idle');
      const { behavior, updatedPermissions: [rule, ...others] } = await decision('always');
      assert.deepEqual([behavior, rule.rules[0].ruleContent, others], ['allow', 'npm install:*', []]);
    },

    async 'a change names its file once, and nothing is shown twice'(page) {
      await begin(page, 'named');
      await prompt(page, 'Change it');
      await asked(page);
      const text = await textOf(page, '#requests form');
      assert.match(text, /^Allow Edit\?/);
      assert.equal(text.split('clock.txt').length, 2, text);
      assert.doesNotMatch(text, /replace_all|false/);
      // The conversation has the name of the tool, and the request has the change.
      await until(page, () => document.querySelectorAll('.diff').length > 1);
      assert.equal(await page.$$eval('.diff', (all) => all.filter((it) => it.checkVisibility()).length), 1);
      await look(page, 'named');
      await press(page, 'Allow once');
      await phase(page, 'idle');
      assert.equal(await page.$eval('#log .diff', (it) => it.checkVisibility()), true);
    },

    async 'the input of a tool is in lines, whole, and not as JSON'(page) {
      await prompt(page, 'Ask the server');
      await asked(page);
      const text = await textOf(page, '#requests pre');
      assert.equal(text, 'city: Oslo\ndays:\n  1:\n    date: 2026-12-01\n    hours:\n      1: 9\n      2: 12\nexact: true\nnote:\n  two\n  lines: of it');
      await look(page, 'lines');
      await press(page, 'Deny');
      await phase(page, 'idle');
    },

    async 'no key allows what is folded or was never on the screen'(page) {
      const before = await answers('named');
      await prompt(page, 'Change much');
      await asked(page);
      await page.evaluate(() => document.activeElement.blur());
      // The rest of the change is folded. A key first unfolds it, and leads to its end.
      const allow = '#requests button[value=allow]';
      const presses = async () => {
        await page.$eval(allow, (it) => it.focus({ preventScroll: true }));
        await page.keyboard.press('Enter');
        await settled(page);
        return (await answers('named')) - before;
      };
      assert.equal(await page.$eval('#requests details', (it) => it.open), false);
      assert.equal(await presses(), 0);
      let count = 1;
      while (!await presses()) { count += 1; assert.ok(count < 8); }
      assert.ok(count >= 2, `${count}`);
      assert.equal(await page.$('#requests details'), null);
      await phase(page, 'idle');
    },

    async 'after the last answer the page leads to the next session that asks'(page) {
      const other = await begin(page, 'permission');
      await prompt(page, 'Clean this');
      await asked(page);
      await begin(page, 'permission');
      await prompt(page, 'Clean that');
      await asked(page);
      await until(page, () => document.getElementById('others').textContent === '1 asks');
      assert.equal(await page.$eval('.next', (it) => it.checkVisibility()), false);
      await press(page, 'Allow once');
      await page.waitForSelector('.next:not([hidden])');
      assert.equal(await textOf(page, '.next'), 'Next: Clean this');
      await look(page, 'next');
      await page.click('.next');
      await asked(page);
      assert.equal(new URL(page.url()).pathname, other);
    },

    async 'what is asked is answered in the list, and then the next one is unfolded'(page) {
      await begin(page, 'permission');
      await prompt(page, 'Clean more');
      await asked(page);
      const before = await answers('permission');
      await page.goto(`${server}/`);
      await until(page, () => document.querySelectorAll('#asking .answer').length === 2);
      // The first one is unfolded already, and stays folded once it was folded.
      await page.waitForSelector('#asking form');
      await look(page, 'list-asks');
      await tap(await page.$('#asking .answer'));
      assert.equal(await page.$('#asking form'), null);
      await tap(await page.$('#asking .answer'));
      await page.waitForSelector('#asking form');
      assert.match(await textOf(page, '#asking form'), /Allow Bash\?\s+rm -rf build/);
      await look(page, 'list-answer');
      await tap(await page.$('#asking form button[value=deny]'));
      await until(page, () => document.querySelectorAll('#asking .answer').length === 1 && document.querySelector('#asking form h2'));
      assert.equal(await answers('permission'), before + 1);
      // The next one has come under the finger: it is not allowed at once.
      await page.$eval('#asking form', (it) => { it.dataset.settling = ''; });
      await page.$eval('#asking form button[value=allow]', (it) => it.click());
      await settled(page);
      assert.equal(await answers('permission'), before + 1);
      await page.$eval('#asking form', (it) => { delete it.dataset.settling; });
      await tap(await page.$('#asking form button[value=deny]'));
      await until(page, () => document.getElementById('asking').hidden);
      assert.equal(await answers('permission'), before + 2);
    },

    async 'what waits leaves half of a phone to the rest'(page) {
      const phone = await open('/');
      await phone.waitForSelector('#list li');
      await phone.evaluate(() => {
        const list = document.querySelector('#asking ul');
        for (let n = 0; n < 30; n++) list.append(Object.assign(document.createElement('li'), { textContent: `Session ${n}`, style: 'min-height: 4rem' }));
        document.getElementById('asking').hidden = false;
      });
      assert.ok(await phone.$eval('#asking', (it) => it.offsetHeight <= innerHeight / 2));
      await phone.browserContext().close();
      await tabTo(page, '#query');
    },

    async 'the real claude: a request is allowed in the list, and its tool runs'(page) {
      const its = await begin(page, 'real');
      await prompt(page, 'Make a file');
      await asked(page);
      await page.goto(`${server}/`);
      await tap(await page.waitForSelector('#grouped'));
      await page.reload();
      await page.waitForSelector('#asking form:not([data-settling])');
      // Above the lists of projects its row names its project.
      assert.equal(await page.$eval('#asking .of-project', (it) => it.checkVisibility() && it.textContent), 'real');
      assert.match(await textOf(page, '#asking form'), /^Allow Bash\?[^]*touch made/);
      await look(page, 'list-real');
      assert.equal(await direct('made'), false);
      await tap(await page.$('#asking button[value=allow]'));
      await until(page, () => document.getElementById('asking').hidden);
      await page.goto(server + its);
      // The model answers so to the result of the tool alone.
      await shows(page, 'The file is there.');
      await phase(page, 'idle');
      assert.equal(await direct('made'), true);
    },
  };
}
