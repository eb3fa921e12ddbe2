// What a viewer, and somebody who may only write, see and reach: no control of anything else, by no pointer and no key.
import assert from 'node:assert/strict';

export function steps({ server, begin, decision, look, open, phase, press, prompt, received, shows, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const answers = async () => (await received('control_response', null, 'always')).length;
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 400); }));
  const has = (page, selector) => page.evaluate((selector) => document.querySelector(selector) != null, selector);
  const watched = (page) => {
    const refused = [];
    page.on('response', (answer) => { if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`); });
    return refused;
  };
  const together = async (page, ...all) => {
    for (const key of all.slice(0, -1)) await page.keyboard.down(key);
    await page.keyboard.press(all.at(-1));
    for (const key of all.slice(0, -1).reverse()) await page.keyboard.up(key);
  };
  /** Presses keys that answer, stop or begin something where that is allowed, and goes through the page by Tab. */
  async function keys(page) {
    const path = new URL(page.url()).pathname;
    await page.evaluate(() => document.activeElement?.blur());
    for (const key of ['y', 'n', 'a', 'd', '1', '2', 'Enter', 'Escape', ' ']) await page.keyboard.press(key);
    await together(page, 'Control', 'Enter');
    const reached = new Set();
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => {
        const it = document.activeElement;
        return it.closest('.answers, #requests button, #requests input') ? 'answer' : it.id;
      }));
    }
    assert.ok(!reached.has('answer') && !reached.has('stop'), [...reached].join(' '));
    await settled(page);
    assert.equal(new URL(page.url()).pathname, path);
    assert.equal(await answers(), 0);
  }
  /** The commands of the palette. */
  async function commands(page, text) {
    await together(page, 'Control', 'k');
    await page.keyboard.type(text);
    await until(page, () => document.querySelector('.palette li'));
    await settled(page);
    const all = await page.$$eval('.palette li', (found) => found.map((it) => it.innerText.split('\n')[0]));
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.palette').open);
    return all;
  }
  const who = 'Only people with the role answer or own may answer it.';
  let place = null;
  let viewer = null;
  let refused = null;

  return {
    async 'a viewer sees what is asked and by whom it may be answered, and has no control'(page) {
      place = await begin(page, 'always');
      await prompt(page, 'Install');
      await phase(page, 'asking');
      viewer = await open(place, { as: 'view' });
      refused = watched(viewer);
      await viewer.reload();
      await phase(viewer, 'asking');
      await shows(viewer, who);
      assert.equal(await textOf(viewer, '#phase'), 'Waits for an answer');
      assert.match(await textOf(viewer, '#requests'), /Allow Bash\?[^]*npm install left-pad/);
      assert.match(await textOf(viewer, '#composer'), /You may read this session\. To write in it, a person needs the role prompt, answer or own\./);
      for (const control of ['#requests button', '#requests input', '#prompt', '#send', '#stop', '#fork', '#about', '#mode', '#new', '.userInput .about', '#go-on']) {
        assert.equal(await has(viewer, control), false, control);
      }
      await look(viewer, 'role-view');
    },

    async 'keys do nothing for a viewer'() {
      await viewer.setViewport({ width: 1280, height: 800 });
      await keys(viewer);
      await together(viewer, 'Control', 'Shift', 'O');
      await keys(viewer);
      assert.deepEqual(await commands(viewer, 'session in'), ['Nothing has this name.']);
      assert.deepEqual((await commands(viewer, 'stop')).filter((it) => it === 'Stop the turn'), []);
      assert.deepEqual((await commands(viewer, 'mode')).filter((it) => it.startsWith('Permission mode')), []);
    },

    async 'the lists of a viewer begin, change and answer nothing'() {
      await viewer.goto(`${server}/`);
      await until(viewer, () => document.querySelector('#asking li'));
      assert.match(await textOf(viewer, '#asking'), /Waiting for an answer[^]*waits for an answer/);
      for (const control of ['#begin', '#start', 'li .edit', 'li .answer']) assert.equal(await has(viewer, control), false, control);
      await look(viewer, 'role-view-list');
      await viewer.goto(`${server}${place}/changes`);
      await until(viewer, () => document.querySelector('main h2'));
      // Nothing that the pages of a viewer ask for by themselves is refused.
      assert.deepEqual(refused.filter((it) => !it.includes('favicon')), []);
      await viewer.goto(server + place);
      await phase(viewer, 'asking');
    },

    async 'somebody who may only write has the field, and answers and stops nothing'() {
      const writer = await open(place, { as: 'prompt', width: 1280 });
      const lacks = watched(writer);
      await phase(writer, 'asking');
      await shows(writer, who);
      for (const control of ['#requests button', '#stop', '#about', '#mode', '#priority option[value=now]']) {
        assert.equal(await has(writer, control), false, control);
      }
      for (const control of ['#prompt', '#send', '#fork', '#new']) assert.ok(await has(writer, control), control);
      await look(writer, 'role-prompt');
      await writer.setViewport({ width: 1280, height: 800 });
      await keys(writer);
      // What was typed is in the field alone.
      assert.equal(await answers(), 0);
      await writer.click('.userInput .about');
      assert.deepEqual(await writer.$$eval('.menu button', (all) => all.map((it) => it.textContent)), ['Fork from here', 'Edit and resend']);
      assert.deepEqual(lacks.filter((it) => !it.includes('favicon')), []);
      // A copy has the mode of its project: who begins it may not choose another one. (The scripted agent leaves nothing to copy.)
      const asks = (request) => request.method() === 'POST' && new URL(request.url()).pathname === '/api/sessions';
      const [asked] = await Promise.all([writer.waitForRequest(asks), press(writer, 'Fork from here')]);
      const { fork, mode } = JSON.parse(asked.postData());
      assert.deepEqual([fork.session, mode], [place.split('/').at(-1), undefined]);
      await writer.close();
    },

    async 'who may answer does so once, and not for good'() {
      const answerer = await open(place, { as: 'answer', width: 1280 });
      await phase(answerer, 'asking');
      const buttons = await answerer.$$eval('#requests .answers button', (all) => all.map((it) => it.textContent));
      assert.deepEqual(buttons, ['Allow once', 'Deny']);
      for (const control of ['#about', '#mode']) assert.equal(await has(answerer, control), false, control);
      assert.ok(await has(answerer, '#stop'));
      await look(answerer, 'role-answer');
      await press(answerer, 'Allow once');
      await phase(answerer, 'idle');
      assert.equal((await decision('always')).behavior, 'allow');
      await shows(viewer, 'allowed by answer');
      await phase(viewer, 'idle');
    },
  };
}
