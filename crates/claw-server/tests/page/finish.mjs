// A worktree is finished: conflicts go back to the session, and three taps merge it.
import assert from 'node:assert/strict';

export function steps({ server, direct, look, open, phase, press, prompt, shows, tap, textOf }) {
  const state = (page, text) => page.waitForFunction((text) => document.querySelector('#finish .about-changes')?.textContent === text, { polling: 50 }, text);
  const message = (page) => page.$eval('#finish textarea', (it) => it.value);
  const buttons = (page) => page.$$eval('#finish button', (all) => all.filter((it) => it.checkVisibility()).map((it) => it.textContent));
  const isOver = (page) => page.waitForFunction(() => document.querySelector('#finish form').hidden, { polling: 50 });
  let place = null;

  return {
    async 'the changes of a session in a worktree say how far it is'(page) {
      await page.goto(`${server}/`);
      await page.click('#begin > summary');
      await page.select('#start select[name=project]', 'grove');
      await page.waitForFunction(() => document.querySelectorAll('#start select[name=mode] > option').length > 2, { polling: 50 });
      await page.select('#start select[name=mode]', 'acceptEdits');
      await tap(await page.$('#worktree'));
      await page.type('#tree-name input', 'ripe');
      await press(page, 'Start');
      await phase(page, 'idle');
      place = new URL(page.url()).pathname;
      // There is no folder yet.
      await tap(await page.$('#changes'));
      await shows(page, 'it is made with the first prompt of its session');
      await page.goBack();
      await phase(page, 'idle');
      await prompt(page, 'Grow the apples');
      await shows(page, 'The apples are brown.');
      await phase(page, 'idle');
      await tap(await page.$('#changes'));
      await state(page, 'worktree-ripe: 0 commits ahead of main, 0 behind, 1 uncommitted file.');
      await shows(page, 'main is the branch of the project\'s folder.');
      assert.deepEqual(await buttons(page), ['Commit', 'Merge into main']);
      await look(page, 'finish');
      await tap(await page.$('#finish .more > summary'));
      assert.deepEqual((await buttons(page)).slice(2), ['Rebase onto main', 'Push', 'Open a pull request', 'Remove…']);
      await look(page, 'finish-more');
    },

    async 'nothing is sent before the person has seen it, and a conflict goes back to the session'(page) {
      await direct('grove-main', 'red\nGREEN\nyellow\n');
      await press(page, 'Merge into main');
      assert.equal(await message(page), 'Grow the apples');
      await shows(page, '1 uncommitted file is committed before:');
      await look(page, 'finish-merge');
      await press(page, 'Cancel');
      await isOver(page);
      await press(page, 'Merge into main');
      await press(page, 'Commit and merge');
      await shows(page, 'have conflicts in 1 file. Nothing else is changed.');
      assert.deepEqual(await page.$$eval('#finish li', (all) => all.map((it) => it.textContent)), ['apples.txt']);
      assert.equal(await direct('grove'), 'red\nGREEN\nyellow\n');
      // What was committed before stays committed.
      await state(page, 'worktree-ripe: 1 commit ahead of main, 1 behind, 0 uncommitted files.');
      await look(page, 'finish-conflict');
      await press(page, 'Let Claude resolve them');
      await phase(page, 'idle');
      assert.equal(new URL(page.url()).pathname, place);
      const draft = await page.$eval('#prompt', (it) => it.value);
      assert.match(draft, /^Merge the branch main into this branch, worktree-ripe, and resolve the conflicts\..*\n- apples\.txt\n/s);
      await look(page, 'finish-prompt');
      await press(page, 'Send');
      await shows(page, 'The apples are olive.');
      await phase(page, 'idle');
      await direct('grove-resolve', 'red\nolive\nyellow\n');
      assert.equal(await direct('grove'), 'red\nGREEN\nyellow\n');
    },

    async 'three taps merge a worktree'(page) {
      const taps = [];
      await page.exposeFunction('tapped', (text) => { taps.push(text); });
      await page.evaluateOnNewDocument(() => addEventListener('click', ({ target, isTrusted }) => { if (isTrusted) window.tapped(target.textContent); }, true));
      await page.reload();
      await phase(page, 'idle');
      await page.waitForFunction(() => document.getElementById('changes').textContent === 'Changes 1', { polling: 50 });
      await tap(await page.$('#changes'));
      await press(page, 'Merge into main');
      await press(page, 'Merge');
      await shows(page, 'worktree-ripe is merged into main.');
      assert.deepEqual(taps, ['Changes 1', 'Merge into main', 'Merge']);
      assert.equal(await direct('grove'), 'red\nolive\nyellow\n');
      await state(page, 'worktree-ripe: 0 commits ahead of main, 0 behind, 0 uncommitted files.');
      assert.deepEqual(await buttons(page), []);
      await look(page, 'finish-merged');
    },

    async 'at a desk: the list has the state, and a commit has the message that was written'(page) {
      await direct('grove-tree', 'sweet\n');
      const desk = await open('/', { width: 1280 });
      const against = (text) => desk.waitForFunction((text) => document.querySelector('#list .against')?.textContent === text, { polling: 50 }, text);
      // A person looks at the changes elsewhere: the list shows the state without a reload.
      await page.reload();
      await against('1 uncommitted');
      await look(desk, 'finish-list');
      await desk.goto(`${server}${place}/changes`);
      await state(desk, 'worktree-ripe: 0 commits ahead of main, 0 behind, 1 uncommitted file.');
      await press(desk, 'Commit');
      await desk.keyboard.down('Control');
      await desk.keyboard.press('a');
      await desk.keyboard.up('Control');
      await desk.keyboard.type('Pears <b>for</b> all');
      await look(desk, 'finish-commit');
      await desk.keyboard.press('Tab');
      await desk.keyboard.press('Tab');
      await desk.keyboard.press('Enter');
      await shows(desk, '1 file is committed on worktree-ripe.');
      await state(desk, 'worktree-ripe: 1 commit ahead of main, 0 behind, 0 uncommitted files.');
      await tap(await desk.$('#finish .more > summary'));
      await press(desk, 'Push');
      await tap(await desk.$('#finish form .strong'));
      await shows(desk, 'add a remote with `git remote add origin URL`');
      await look(desk, 'finish-refused');
      await press(desk, 'Cancel');
      // With a remote, the branch is pushed, and a pull request is opened with the texts of the form.
      await direct('grove-remote', 'add');
      await desk.reload();
      await tap(await desk.waitForSelector('#finish .more > summary'));
      await press(desk, 'Open a pull request');
      assert.match(await desk.$eval('#finish input[name=title]', (it) => it.value), /^Merge the branch main/);
      await desk.type('#finish textarea[name=message]', 'They are sweet.');
      await look(desk, 'finish-request');
      await desk.setViewport({ width: 1280, height: 800 });
      await press(desk, 'Open it');
      const link = await desk.waitForSelector('#finish .outcome a');
      assert.deepEqual(await link.evaluate((it) => [it.href, it.rel]), ['https://example.com/grove/pull/7', 'noreferrer noopener']);
      await look(desk, 'finish-requested');
      await desk.setViewport({ width: 1280, height: 800 });
      await direct('grove-remote', 'remove');
      // Other pages show it without a reload.
      await desk.goto(`${server}/`);
      await against('1 ahead');
      await desk.browserContext().close();
    },

    async 'a worktree is removed after a second question that says what is lost'(page) {
      await page.goto(`${server}${place}/changes`);
      await state(page, 'worktree-ripe: 1 commit ahead of main, 0 behind, 0 uncommitted files.');
      await tap(await page.$('#finish .more > summary'));
      await press(page, 'Remove…');
      await shows(page, '1 commit and 0 uncommitted files will be lost.');
      await look(page, 'finish-remove');
      await page.keyboard.press('Enter');
      await isOver(page);
      // Something is written meanwhile: the question is asked again.
      await press(page, 'Remove…');
      await direct('grove-tree', 'sour\n');
      await press(page, 'Remove it');
      await shows(page, 'something else would be lost now: 1 commit and 1 uncommitted file');
      await state(page, 'worktree-ripe: 1 commit ahead of main, 0 behind, 1 uncommitted file.');
      await tap(await page.$('#finish .more > summary'));
      await press(page, 'Remove…');
      await press(page, 'Remove it');
      await shows(page, 'The worktree and its branch worktree-ripe are removed.');
      await look(page, 'finish-removed');
      assert.equal(await textOf(page, '#finish .buttons'), 'All sessions');
      await page.goto(`${server}${place}`);
      await shows(page, 'The apples are olive.');
    },
  };
}
