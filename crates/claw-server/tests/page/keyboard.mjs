// What a desk's keyboard reaches: the palette, other sessions, earlier prompts.
import assert from 'node:assert/strict';

export function steps({ server, begin, look, open, phase, prompt, received, shows, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 400); }));
  const keys = async (page, ...all) => {
    for (const key of all.slice(0, -1)) await page.keyboard.down(key);
    await page.keyboard.press(all.at(-1));
    for (const key of all.slice(0, -1).reverse()) await page.keyboard.up(key);
  };
  const isOpen = (page, open) => until(page, (open) => document.querySelector('.palette').open === open, open);
  const isAt = (page, path) => until(page, (path) => location.pathname === path && document.querySelector('#phase[data-phase=idle], #phase[data-phase=asking], #list'), path);
  let desk = null;
  let first = null;
  let second = null;

  return {
    async 'Ctrl+K: a session, a command, a setting and a project, by the keyboard alone'() {
      desk = await open('/', { width: 1280 });
      first = await begin(desk, 'shop');
      await prompt(desk, 'What is there?');
      await shows(desk, 'Apples and pears.');
      await phase(desk, 'idle');
      second = await begin(desk, 'shop');
      await prompt(desk, 'Anything else?');
      await phase(desk, 'idle');
      await keys(desk, 'Control', 'k');
      await isOpen(desk, true);
      await until(desk, () => document.querySelector('.palette li')?.innerText.includes('What is there?'));
      await look(desk, 'palette');
      await desk.setViewport({ width: 1280, height: 800 });
      await desk.keyboard.press('Enter');
      await isAt(desk, first);
      // A setting, found by its words in any case.
      await keys(desk, 'Control', 'k');
      await desk.keyboard.type('mode PLAN');
      await until(desk, () => /^Permission mode: Plan/.test(document.querySelector('.palette [aria-selected=true]')?.innerText));
      await desk.keyboard.press('Enter');
      await until(desk, () => document.getElementById('mode').value === 'plan');
      // A command, and Escape.
      await keys(desk, 'Control', 'k');
      await desk.keyboard.type('find in');
      await until(desk, () => document.querySelectorAll('.palette li').length === 1);
      await desk.keyboard.press('Enter');
      await until(desk, () => !document.getElementById('finder').hidden);
      await desk.keyboard.press('Escape');
      await keys(desk, 'Control', 'k');
      await isOpen(desk, true);
      await desk.keyboard.press('Escape');
      await isOpen(desk, false);
      // A project.
      await keys(desk, 'Control', 'k');
      await desk.keyboard.type('session in claw');
      await until(desk, () => document.querySelector('.palette [aria-selected=true]')?.innerText.startsWith('New session in claw'));
      await desk.keyboard.press('ArrowDown');
      await desk.keyboard.press('ArrowUp');
      await desk.keyboard.press('Enter');
      await until(desk, (known) => location.pathname.startsWith('/s/') && !known.includes(location.pathname), [first, second]);
      await phase(desk, 'idle');
      assert.equal(await textOf(desk, '#project'), 'claw');
    },

    async 'Ctrl+Shift+L goes back and forth, Ctrl+Shift+O begins, and so does the button beside the list'() {
      await desk.goto(server + first);
      await phase(desk, 'idle');
      await desk.goto(server + second);
      await phase(desk, 'idle');
      for (const path of [first, second]) {
        await keys(desk, 'Control', 'Shift', 'L');
        await isAt(desk, path);
      }
      await keys(desk, 'Control', 'Shift', 'O');
      await until(desk, (known) => !known.includes(location.pathname), [first, second]);
      await phase(desk, 'idle');
      assert.equal(await textOf(desk, '#project'), 'shop');
      const third = new URL(desk.url()).pathname;
      await desk.click('#new');
      await until(desk, (third) => location.pathname !== third, third);
      await phase(desk, 'idle');
      await desk.goto(`${server}/`);
      await desk.waitForSelector('#list li');
      await keys(desk, 'Control', 'Shift', 'O');
      await until(desk, () => document.getElementById('begin').open && document.activeElement.name === 'project');
      await keys(desk, 'Control', 'k');
      await isOpen(desk, true);
      await desk.keyboard.press('Escape');
    },

    async 'Ctrl+Shift+E goes to the next session that asks, and answers nothing'(page) {
      const asks = await begin(page, 'permission');
      await prompt(page, 'Clean');
      await page.waitForSelector('#requests form');
      await desk.goto(server + first);
      await phase(desk, 'idle');
      await until(desk, () => !document.getElementById('others').hidden);
      await keys(desk, 'Control', 'Shift', 'E');
      await isAt(desk, asks);
      await desk.waitForSelector('#requests form');
      await settled(desk);
      assert.equal((await received('control_response', null, 'permission')).length, 0);
    },

    async 'Up brings earlier prompts, and Down goes back; what was written stays'() {
      await desk.goto(server + first);
      await phase(desk, 'idle');
      await prompt(desk, 'And now?');
      await desk.waitForFunction(() => [...document.querySelectorAll('#log > .userInput')].at(-1)?.innerText.includes('And now?'));
      await phase(desk, 'idle');
      const value = () => desk.$eval('#prompt', (it) => it.value);
      await desk.focus('#prompt');
      for (const [key, text] of [['ArrowUp', 'And now?'], ['ArrowUp', 'What is there?'], ['ArrowUp', 'What is there?'], ['ArrowDown', 'And now?'], ['ArrowDown', '']]) {
        await desk.keyboard.press(key);
        assert.equal(await value(), text);
      }
      await desk.keyboard.type('Mine');
      await desk.keyboard.press('ArrowUp');
      assert.equal(await value(), 'Mine');
      await desk.$eval('#prompt', (it) => { it.value = ''; it.dispatchEvent(new Event('input', { bubbles: true })); });
    },

    async 'no key works while an input method composes, and the list of keys has them all'() {
      await desk.focus('#prompt');
      const client = await desk.createCDPSession();
      await client.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
      const press = async (key, code, modifiers) => {
        await client.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, modifiers, windowsVirtualKeyCode: 229 });
        await client.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, modifiers, windowsVirtualKeyCode: code.charCodeAt(3) });
      };
      const before = desk.url();
      await press('k', 'KeyK', 2);
      for (const key of ['O', 'E', 'L']) await press(key, `Key${key}`, 10);
      await press('ArrowUp', 'ArrowUp', 0);
      await settled(desk);
      assert.equal(desk.url(), before);
      assert.equal(await desk.$eval('.palette', (it) => it.open), false);
      assert.equal(await desk.$eval('#prompt', (it) => it.value), 'か');
      await client.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 });
      await desk.evaluate(() => document.activeElement.blur());
      await desk.keyboard.press('?');
      const text = await textOf(desk, '#keys');
      for (const key of ['Ctrl+K', 'Ctrl+Shift+O', 'Ctrl+Shift+E', 'Ctrl+Shift+L']) assert.ok(text.includes(key), text);
      assert.match(text, /In an empty prompt: bring earlier prompts/);
      await look(desk, 'keys-desk');
      await desk.browserContext().close();
    },
  };
}
