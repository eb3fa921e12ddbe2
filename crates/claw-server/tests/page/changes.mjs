// What a session has changed, and sessions in git worktrees of their own.
import assert from 'node:assert/strict';

export function steps({ server, look, open, phase, press, prompt, shows, tap, tabTo, textOf }) {
  const counted = (page, text) => page.waitForFunction((text) => document.getElementById('changes').textContent === text, { polling: 50 }, text);
  const paths = (page) => page.$$eval('.change .path', (all) => all.map((it) => it.textContent));
  const lines = (page, path) => page.$$eval('.change', (all, path) => {
    const change = all.find((it) => it.querySelector('.path').textContent === path);
    return [...change.querySelectorAll('.diff > div')].map((it) => it.querySelector('i').textContent + it.querySelector('span').textContent);
  }, path);
  /** Fills the form for a new session, up to the name of its worktree. */
  async function form(page, project, name) {
    await page.goto(`${server}/`);
    await page.click('#begin > summary');
    await page.select('#start select[name=project]', project);
    // The choices of the project may still come.
    await page.waitForFunction(() => document.querySelectorAll('#start select[name=mode] > option').length > 2, { polling: 50 });
    await page.select('#start select[name=mode]', 'acceptEdits');
    assert.equal(await page.$eval('#tree-name', (it) => it.checkVisibility()), false);
    await tap(await page.$('#worktree'));
    await page.type('#tree-name input', name);
  }
  let place = null;

  return {
    async 'a project that is no repository has no worktrees, and the form says so'(page) {
      await form(page, 'claw', 'fix-apples');
      await press(page, 'Start');
      await shows(page, 'not the main folder of a git repository');
      await look(page, 'worktree-refused');
      assert.equal(new URL(page.url()).pathname, '/');
      // What can be no name is not even sent.
      await form(page, 'orchard', '../x');
      await page.keyboard.press('Enter');
      assert.equal(await page.$eval('#tree-name input', (it) => it.validity.patternMismatch), true);
      assert.equal(await page.$eval('#start-trouble', (it) => it.hidden), true);
    },

    async 'a session begins in a worktree of its own, and its branch is seen'(page) {
      await form(page, 'orchard', 'fix-apples');
      await look(page, 'worktree-form');
      await page.focus('#tree-name input');
      await page.keyboard.press('Enter');
      await phase(page, 'idle');
      place = new URL(page.url()).pathname;
      assert.match(await textOf(page, '.status .branch'), /worktree-fix-apples$/);
      await counted(page, 'Changes');
      await tap(await page.$('#changes'));
      await shows(page, 'The tools of this session have changed no file.');
      await look(page, 'changes-none');
      await page.goBack();
      await phase(page, 'idle');
      await prompt(page, 'Change the fruit');
      await press(page, 'Allow once');
      await shows(page, 'The fruit is changed.');
      await phase(page, 'idle');
      await counted(page, 'Changes 3');
      await look(page, 'changes-count');
    },

    async 'each file is a folded section, by hand and by keyboard'(page) {
      await tap(await page.$('#changes'));
      await shows(page, 'By this session');
      assert.equal(new URL(page.url()).pathname, `${place}/changes`);
      assert.deepEqual(await paths(page), ['a folder/<b>pears.txt', 'apples.txt', 'long.txt', 'plums.txt']);
      assert.match(await textOf(page, '#main'), /3 files: \+2002.*−1.*compared with the files before the session/s);
      assert.match(await textOf(page, '#main'), /Also changed in the repository/);
      assert.equal(await page.$$eval('#main > .changes:first-of-type details[open]', (all) => all.length), 0);
      await look(page, 'changes-folded');
      // A long title takes one line.
      const title = await page.$('.status > span');
      const text = await title.evaluate((it) => it.textContent);
      const heights = [];
      for (const long of [text, 'A long title. '.repeat(40)]) {
        await title.evaluate((it, long) => { it.textContent = long; }, long);
        heights.push(await page.$eval('.top', (it) => it.offsetHeight));
      }
      await title.evaluate((it, text) => { it.textContent = text; }, text);
      assert.ok(heights[1] <= heights[0], `${heights}`);
      await tabTo(page, '.change:nth-of-type(2) > summary');
      await page.keyboard.press('Enter');
      // Two edits of one line are one change.
      assert.deepEqual(await lines(page, 'apples.txt'), [' red', '-green', '+brown', ' yellow']);
      assert.deepEqual(await lines(page, 'plums.txt'), ['-blue', '+violet']);
      assert.equal(await page.evaluate(() => window.ran), undefined);
    },

    async 'a long diff comes when it is unfolded, and all unfold at once'(page) {
      assert.deepEqual(await lines(page, 'long.txt'), []);
      await press(page, 'Unfold all');
      await page.waitForFunction(() => document.querySelectorAll('.diff .new').length >= 2000, { polling: 50 });
      assert.equal((await lines(page, 'long.txt')).length, 2000);
      assert.deepEqual(await lines(page, 'a folder/<b>pears.txt'), ['+sweet']);
      await look(page, 'changes');
      await press(page, 'Fold all');
      assert.equal(await page.$$eval('.change[open]', (all) => all.length), 0);
      await page.goBack();
      await phase(page, 'idle');
      await shows(page, 'The fruit is changed.');
    },

    async 'who comes later sees the same, and the list has the branch'(page) {
      const desk = await open(`${place}/changes`, { width: 1280 });
      await shows(desk, 'By this session');
      assert.equal((await paths(desk)).length, 4);
      await press(desk, 'Unfold all');
      await press(desk, 'Fold all');
      await desk.goto(`${server}${place}`);
      await counted(desk, 'Changes 3');
      await desk.browserContext().close();
      await page.goto(`${server}/`);
      await shows(page, 'worktree-fix-apples');
      await look(page, 'worktree-list');
      // The name is taken.
      await form(page, 'orchard', 'fix-apples');
      await press(page, 'Start');
      await shows(page, 'there is a worktree fix-apples already');
    },

    async 'a request that fails is told, and can be repeated'(page) {
      await page.goto(`${server}${place}/changes`);
      await page.setOfflineMode(true);
      await tap(await page.$('.change[data-path] > summary'));
      await shows(page, 'The server cannot be reached.');
      await page.setOfflineMode(false);
      await press(page, 'Try again');
      await page.waitForFunction(() => document.querySelectorAll('.diff .new').length >= 2000, { polling: 50 });
    },
  };
}
