// Forms of MCP servers, dialogs of the CLI, a plan with its edits, and the list of keys.
import assert from 'node:assert/strict';

export function steps({ server, begin, decision, lacks, look, open, phase, press, prompt, received, shows, tap, tabTo, textOf }) {
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 300); }));
  const answers = async (project) => (await received('control_response', null, project)).length;
  const field = (name) => `#requests .field[data-name='"${name}"']`;
  const focus = (page, selector) => page.$eval(selector, (it) => it.focus());
  const focused = (page, selector) => page.waitForFunction((selector) => document.activeElement?.matches(selector), { polling: 50 }, selector);
  const closed = (page) => page.waitForFunction(() => !document.querySelector('#requests form'), { polling: 50 });
  const choose = async (page, name, value) => tap(await page.$(`${field(name)} input[value='${JSON.stringify(value)}']`));
  const error = (page, name) => textOf(page, `${field(name)} .error`);
  const type = async (page, name, text) => page.type(`${field(name)} :is(input, textarea)`, text);
  let place = null;

  return {
    async 'every kind of field has its type, its bounds and its default'(page) {
      await begin(page, 'form');
      await prompt(page, 'Ask');
      await shows(page, 'calc asks');
      await phase(page, 'asking');
      await look(page, 'form');
      const text = await textOf(page, '#requests form');
      for (const shown of ['I ask for a lot.', 'Your first name.', 'Between 2 and 20 characters.', 'An integer. Between 1 and 9.', 'Small', 'No answer', '^[a-z]+$', 'it is an object']) {
        assert.ok(text.includes(shown), shown);
      }
      const kinds = { name: 'text', mail: 'text', born: 'date', at: 'datetime-local', count: 'text', sure: 'radio', size: 'radio', days: 'checkbox', key: 'password' };
      for (const [name, kind] of Object.entries(kinds)) assert.equal(await page.$eval(`${field(name)} input`, (it) => it.type), kind, name);
      assert.equal(await page.$eval(`${field('site')} input`, (it) => it.value), 'https://example.com');
      assert.equal(await page.$eval(`${field('at')} input`, (it) => new Date(it.value).toISOString()), '2026-01-31T09:30:00.000Z');
      assert.equal(await page.$eval(`${field('sure')}`, (it) => it.querySelectorAll('input:checked').length), 0);
    },

    async 'Enter goes on to the next field, Escape changes nothing, and neither answers'(page) {
      await focus(page, `${field('name')} input`);
      await page.keyboard.type('A');
      await page.keyboard.press('Enter');
      await focused(page, `${field('mail')} input`);
      const order = ['site', 'born', 'at', 'count', 'share', 'sure', 'maybe', 'size'];
      for (const name of order) {
        await page.keyboard.press('Enter');
        await focused(page, `${field(name)} input`);
      }
      await page.keyboard.press('Enter');
      await focused(page, `${field('city')} select`);
      await focus(page, `${field('about')} textarea`);
      await page.keyboard.type('One');
      await page.keyboard.press('Enter');
      await page.keyboard.type('two');
      for (const name of ['name', 'count', 'sure', 'days', 'about', 'key', 'code']) {
        await focus(page, `${field(name)} :is(input, textarea)`);
        await page.keyboard.press('Escape');
      }
      await page.keyboard.press('Enter');
      await settled(page);
      assert.equal(await answers('form'), 0);
      assert.equal(await page.$eval(`${field('name')} input`, (it) => it.value), 'A');
      assert.equal(await page.$eval(`${field('about')} textarea`, (it) => it.value), 'One\ntwo');
    },

    async 'what is wrong is said at each field, and the first one has the focus'(page) {
      await type(page, 'count', '12');
      await type(page, 'mail', 'nobody');
      await press(page, 'Send');
      await shows(page, 'Some of the values are not accepted.');
      await focused(page, `${field('name')} input`);
      assert.equal(await error(page, 'name'), 'It must have at least 2 characters, and has 1.');
      assert.equal(await error(page, 'mail'), 'It must be an email address.');
      assert.equal(await error(page, 'count'), 'It must be at most 9.');
      assert.equal(await error(page, 'days'), 'It must have at least 1 chosen.');
      for (const name of ['born', 'sure', 'size']) assert.equal(await error(page, name), 'It is missing.', name);
      for (const name of ['site', 'share', 'maybe', 'city', 'thing']) assert.equal(await page.$eval(`${field(name)} .error`, (it) => it.hidden), true, name);
      assert.equal(await answers('form'), 0);
      await look(page, 'form-errors');
    },

    async 'the values reach the server with their types'(page) {
      const set = async (name, text) => {
        await page.$eval(`${field(name)} input`, (it, text) => { it.value = text; }, text);
      };
      await set('name', 'Ada');
      await set('mail', 'ada@example.com');
      await set('born', '1815-12-10');
      await set('count', '7');
      await set('share', '0,25');
      await choose(page, 'sure', false);
      await choose(page, 'size', 'l');
      await page.select(`${field('city')} select`, '"City 12"');
      await choose(page, 'days', 'We');
      await choose(page, 'days', 'Mo');
      await type(page, 'key', 's3cr3t');
      await press(page, 'Send');
      await phase(page, 'idle');
      await closed(page);
      const answer = await decision('form');
      assert.equal(answer.action, 'accept');
      assert.deepEqual(answer.content, {
        name: 'Ada', mail: 'ada@example.com', site: 'https://example.com', born: '1815-12-10', at: '2026-01-31T09:30:00.000Z',
        count: 7, share: 0.25, sure: false, size: 'l', city: 'City 12', days: ['Mo', 'We'], about: 'One\ntwo', key: 's3cr3t',
      });
      await lacks(page, 's3cr3t');
      const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
      assert.doesNotMatch(stored, /s3cr3t/);
    },

    async 'two tabs: the first answer counts, and the other tab says whose it was'(page) {
      place = await begin(page, 'forms');
      const second = await open(place, { width: 1280 });
      await prompt(page, 'Ask');
      await Promise.all([shows(page, 'First?'), shows(second, 'First?')]);
      await type(page, 'name', 'Half');
      await type(second, 'name', 'Ada');
      await press(second, 'Send');
      await shows(page, 'calc asks: First? — accepted by a computer');
      assert.equal(await page.$('#requests form'), null);
      assert.deepEqual((await decision('forms')).content, { name: 'Ada' });
      await second.browserContext().close();
      await phase(page, 'idle');
    },

    async 'a form is there after a reload and for a late viewer, and is declined'(page) {
      await prompt(page, 'Ask again');
      await shows(page, 'Second?');
      await page.reload();
      await shows(page, 'Second?');
      const late = await open(place, { width: 1280 });
      await shows(late, 'Second?');
      await press(late, 'Decline');
      await shows(page, 'calc asks: Second? — declined by a computer');
      assert.deepEqual(await decision('forms'), { action: 'decline' });
      await late.browserContext().close();
      await phase(page, 'idle');
    },

    async 'by keys alone, and a form without fields is a question of consent'(page) {
      await prompt(page, 'Ask a third time');
      await shows(page, 'Third?');
      await tabTo(page, `${field('name')} input`);
      await page.keyboard.type('Bob');
      await page.keyboard.press('Enter');
      await focused(page, '#requests button[value=accept]');
      await page.keyboard.press('Enter');
      await phase(page, 'idle');
      assert.deepEqual((await decision('forms')).content, { name: 'Bob' });
      await prompt(page, 'And a last time');
      await shows(page, 'Do you agree?');
      await press(page, 'Cancel');
      await phase(page, 'idle');
      assert.deepEqual(await decision('forms'), { action: 'cancel' });
    },

    async 'hostile texts are texts, and a form that is too large can only be declined'(page) {
      await begin(page, 'form-hostile');
      await prompt(page, 'Ask');
      await page.waitForSelector('#requests form');
      await look(page, 'form-hostile');
      const text = await textOf(page, '#requests');
      assert.ok(text.includes('<img src=x') && !text.includes('\u202e') && !text.includes('\u001b'));
      assert.equal(await page.evaluate(() => typeof window.ran), 'undefined');
      assert.equal(await page.$$eval('#requests img', (all) => all.length), 0);
      await tap(await page.$('#requests .field input'));
      await press(page, 'Send');
      await phase(page, 'idle');
      const [sent] = Object.entries((await decision('form-hostile')).content);
      assert.ok(sent.every((it) => it === '<img src=x onerror="window.ran=1">\u202e\u001b[2J'), JSON.stringify(sent));
      await prompt(page, 'Much');
      await shows(page, 'The form has 10000 fields.');
      assert.equal(await page.$('#requests button[value=accept]'), null);
      await look(page, 'form-large');
      await press(page, 'Decline');
      await phase(page, 'idle');
      assert.deepEqual(await decision('form-hostile'), { action: 'decline' });
    },

    async 'a link is shown as text, is opened by the person, and is then accepted'(page) {
      await begin(page, 'form-link');
      await prompt(page, 'Ask');
      await shows(page, 'https://login.example.com/start?from=calc');
      await look(page, 'form-link');
      const link = await page.$eval('#requests .answers a', (it) => [it.href, it.target, it.rel, it.textContent]);
      assert.deepEqual(link, ['https://login.example.com/start?from=calc', '_blank', 'noopener noreferrer', 'Open the address']);
      assert.match(await textOf(page, '#requests form'), /It leads to login\.example\.com\./);
      const opened = new Promise((done) => { page.browserContext().once('targetcreated', done); });
      await tap(await page.$('#requests .answers a'));
      const target = await opened;
      await phase(page, 'idle');
      assert.deepEqual(await decision('form-link'), { action: 'accept' });
      await (await target.page())?.close();
      await page.bringToFront();
      await prompt(page, 'Again');
      await shows(page, 'The address is not one of the web.');
      assert.equal(await page.$('#requests a'), null);
      await press(page, 'Decline');
      await phase(page, 'idle');
    },

    async 'a dialog of the CLI is a choice, and an unknown one is cancelled and shown as such'(page) {
      await begin(page, 'dialog');
      await prompt(page, 'Read');
      await shows(page, 'May it read outside of the working directories?');
      await look(page, 'dialog');
      await choose(page, 'choice', 'block');
      await press(page, 'Choose');
      await phase(page, 'idle');
      assert.deepEqual(await decision('dialog'), { behavior: 'completed', result: 'block' });
      await prompt(page, 'Another');
      await shows(page, 'a dialog of the kind quite_new, which cannot be shown here. It was cancelled.');
      await phase(page, 'idle');
      assert.deepEqual(await decision('dialog'), { behavior: 'cancelled' });
    },

    async 'a plan is approved together with its edits'(page) {
      await begin(page, 'plan-edits');
      await prompt(page, 'Plan');
      await shows(page, 'Mend the clock');
      await look(page, 'plan-edits');
      await press(page, 'Approve, and accept edits');
      await phase(page, 'idle');
      const { behavior, updatedPermissions } = await decision('plan-edits');
      assert.equal(behavior, 'allow');
      assert.deepEqual(updatedPermissions, [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]);
    },

    async 'a command is named once, and a key allows only what was shown to its end'(page) {
      await begin(page, 'long-command');
      // The first turn reports the folders of the session.
      await prompt(page, 'Are you there?');
      await shows(page, 'Ready.');
      await phase(page, 'idle');
      await prompt(page, 'Count');
      await page.waitForSelector('#requests form');
      const text = await textOf(page, '#requests form');
      assert.equal(text.split('echo 7\n').length, 2);
      assert.match(text, /^Allow Bash\?\s+Count\n[^]*It needs a path outside of the session's folders: \/etc\/passwd\s+Why it is asked: Path is outside allowed working directories/);
      // What the composer unfolds lets nothing cover the buttons of a request, and is folded when something else is touched.
      await page.click('#unfold');
      await settled(page);
      const covers = await page.evaluate(() => {
        const [newer, its] = [document.getElementById('newer'), document.querySelector('#requests .answers').getBoundingClientRect()];
        const { top, bottom } = newer.getBoundingClientRect();
        return !newer.hidden && bottom > its.top && top < its.bottom;
      });
      assert.equal(covers, false);
      await look(page, 'unfolded');
      await page.click('#requests h2');
      assert.equal(await page.$eval('#unfold', (it) => it.ariaExpanded), 'false');
      await look(page, 'long-command');
      await tabTo(page, '#requests button[value=allow]');
      await page.keyboard.press('Enter');
      await focused(page, '#requests pre');
      await settled(page);
      assert.equal(await answers('long-command'), 0);
      await page.keyboard.press('End');
      await page.waitForFunction(() => {
        const pre = document.querySelector('#requests pre');
        return pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 4;
      }, { polling: 50 });
      await tabTo(page, '#requests button[value=allow]');
      await page.keyboard.press('Enter');
      await phase(page, 'idle');
      assert.equal((await decision('long-command')).behavior, 'allow');
    },

    async 'the list of keys opens by a key, and on no phone by a button, and Escape closes it and nothing else'(page) {
      const isOpen = (page, open) => page.waitForFunction((open) => document.getElementById('keys').open === open, { polling: 50 }, open);
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press('?');
      await isOpen(page, true);
      await look(page, 'keys');
      await page.keyboard.press('Escape');
      await isOpen(page, false);
      await page.type('#prompt', 'Why?');
      await settled(page);
      await isOpen(page, false);
      assert.equal(await page.$eval('#prompt', (it) => it.value), 'Why?');
      // Who writes with a finger has no button for them, and a desk has one.
      assert.equal(await page.$eval('#show-keys', (it) => it.checkVisibility()), false);
      await page.$eval('#prompt', (it) => { it.value = ''; it.dispatchEvent(new Event('input', { bubbles: true })); });
      await page.goto(`${server}/`);
      await page.waitForSelector('#list li');
      assert.equal(await page.$eval('#show-keys', (it) => it.checkVisibility()), false);
      await page.keyboard.press('?');
      await isOpen(page, true);
      await look(page, 'keys-home');
      await page.keyboard.press('Escape');
      await isOpen(page, false);
    },
  };
}
