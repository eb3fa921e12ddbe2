// Comments on lines of the changes: chosen by hand and by keys, kept over a reload, and sent as one prompt.
import assert from 'node:assert/strict';

const ID = '77777777-7777-4777-8777-777777777777';
const KEY = `claw.comments.${ID}`;

export function steps({ server, direct, look, open, phase, press, received, shows, tap, tabTo, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const numberOf = async (page, file, line, sign = ' ') => {
    const find = (file, line, sign) => [...document.querySelectorAll(`.change[data-file="${file}"] .diff > div`)].find((it) => (
      it.querySelector('b[role]')?.textContent === String(line) && (sign === ' ' || it.querySelector('i').textContent === sign)))?.querySelector('b');
    const found = await page.waitForFunction(find, { polling: 50 }, file, line, sign);
    return found.asElement();
  };
  /** The number, or what stands for it, of a line on a card of the conversation. */
  const rowOf = async (page, file, text) => {
    const find = (file, text) => [...document.querySelectorAll(`#log [data-file$="/${file}"] .diff > div`)].find((it) => (
      it.querySelector(':scope > span').textContent === text))?.querySelector('b[role]');
    return (await page.waitForFunction(find, { polling: 50 }, file, text)).asElement();
  };
  const fieldLabel = (page) => page.$eval('form.comment textarea', (it) => it.ariaLabel);
  const labelled = (page, label) => until(page, (label) => document.querySelector('form.comment textarea')?.ariaLabel === label, label);
  const notes = (page) => page.$$eval('article.comment', (all) => all.map((it) => [
    it.querySelector('.which > :last-child').textContent, it.querySelector('.text').textContent]));
  const noted = (page, count) => until(page, (count) => document.querySelectorAll('article.comment').length === count, count);
  const kept = (page) => page.evaluate((key) => JSON.parse(localStorage.getItem(key))?.list ?? [], KEY);
  const focused = (page) => page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.textContent);
  const topOf = (it) => it.evaluate((it) => it.getBoundingClientRect().top);
  const unfold = async (page, file) => {
    const summary = await page.waitForSelector(`.change[data-file="${file}"] > summary`);
    if (!await summary.evaluate((it) => it.parentElement.open)) await tap(summary);
    await page.waitForSelector(`.change[data-file="${file}"] b[role]`);
  };
  /** What the page sends that changes something, from now on. */
  const sentBy = (page) => {
    const all = [];
    page.on('request', (it) => { if (it.method() === 'POST') all.push(new URL(it.url()).pathname); });
    return all;
  };
  /** Rests a finger on a place until `test` is true. */
  async function hold(page, it, test) {
    await it.evaluate((it) => it.scrollIntoView({ block: 'center' }));
    const { x, y, width, height } = await it.boundingBox();
    await page.touchscreen.touchStart(x + width / 2, y + height / 2);
    await until(page, test);
    await page.touchscreen.touchEnd();
  }
  let desk = null;

  return {
    async 'a tap on a number opens a field below its line, and Escape keeps what was written'(page) {
      await direct('commented');
      await page.goto(`${server}/s/${ID}/changes`);
      await unfold(page, 'clock.rs');
      const number = await numberOf(page, 'clock.rs', 13);
      assert.equal(await number.evaluate((it) => it.ariaLabel), 'Comment on line 13');
      await number.evaluate((it) => it.scrollIntoView({ block: 'center' }));
      const before = await topOf(number);
      await number.tap();
      await labelled(page, 'Comment on line 13 of clock.rs');
      assert.equal(await topOf(number), before);
      assert.equal(await page.evaluate(() => document.activeElement.name), 'text');
      assert.ok(await number.evaluate((it) => it.offsetWidth) >= 44);
      await page.keyboard.type('Is it markup?');
      assert.equal(await topOf(number), before);
      await look(page, 'comment-field');
      const after = await topOf(number);
      await page.keyboard.press('Escape');
      await noted(page, 1);
      assert.deepEqual(await notes(page), [['Line 13', 'Is it markup?']]);
      assert.equal(await topOf(number), after);
      assert.equal(await page.$('form.comment'), null);
      assert.equal(await focused(page), 'Comment on line 13');
      assert.equal(await page.evaluate(() => window.ran), undefined);
      await shows(page, 'Send 1 comment');
    },

    async 'a field without text leaves nothing'(page) {
      await tap(await numberOf(page, 'clock.rs', 10));
      await page.waitForSelector('form.comment');
      await press(page, 'Done');
      await until(page, () => !document.querySelector('form.comment'));
      assert.equal((await kept(page)).length, 1);
    },

    async 'a long press begins a range and ends it, and buttons move its ends'(page) {
      await hold(page, await numberOf(page, 'clock.rs', 9), () => document.querySelector('.chosen'));
      assert.equal(await page.$('form.comment'), null);
      await tap(await numberOf(page, 'clock.rs', 11));
      await labelled(page, 'Comment on lines 9–11 of clock.rs');
      const ends = await numberOf(page, 'clock.rs', 12, '+');
      await hold(page, ends, () => document.querySelector('form.comment textarea').ariaLabel.includes('9–12'));
      assert.equal(await page.$$eval('.chosen', (all) => all.length), 5);
      const range = await page.$('.range');
      const before = await topOf(range);
      await (await page.$('button[aria-label="Start one line later"]')).tap();
      await labelled(page, 'Comment on lines 10–12 of clock.rs');
      assert.equal(await topOf(range), before);
      await (await page.$('button[aria-label="End one line later"]')).tap();
      await labelled(page, 'Comment on lines 10–13 of clock.rs');
      await page.type('form.comment textarea', 'Two ticks?\nWhy?');
      // On a phone Enter makes a new line.
      assert.equal((await kept(page)).at(-1).text, 'Two ticks?\nWhy?');
      await look(page, 'comment-range');
      await press(page, 'Done');
      await noted(page, 2);
    },

    async 'comments are kept over a reload, also one whose field is open'(page) {
      await unfold(page, 'long.txt');
      await tap(await numberOf(page, 'long.txt', 3));
      await page.waitForSelector('form.comment');
      await page.type('form.comment textarea', 'Half of');
      await page.reload();
      await shows(page, 'Send 3 comments');
      assert.deepEqual(await page.$$eval('.noted', (all) => all.map((it) => it.textContent)), ['2 comments', '1 comment']);
      await unfold(page, 'clock.rs');
      await unfold(page, 'long.txt');
      await noted(page, 3);
      const below = await (await numberOf(page, 'long.txt', 3)).evaluate((it) => it.parentElement.nextElementSibling.className);
      assert.equal(below, 'comment');
      await look(page, 'comments');
    },

    async 'a comment is changed and removed, and the removal is undone'(page) {
      await tap(await page.$('button[aria-label="Edit the comment on line 3 of long.txt"]'));
      await page.waitForSelector('form.comment');
      await page.type('form.comment textarea', ' a comment');
      await press(page, 'Done');
      await shows(page, 'Half of a comment');
      await tap(await page.$('button[aria-label="Remove the comment on line 3 of long.txt"]'));
      await noted(page, 2);
      await shows(page, 'The comment is removed.');
      await look(page, 'comment-removed');
      await press(page, 'Undo');
      await noted(page, 3);
      assert.equal((await kept(page)).length, 3);
      await tap(await page.$('button[aria-label="Remove the comment on line 3 of long.txt"]'));
      await noted(page, 2);
      assert.equal((await kept(page)).length, 2);
    },

    async 'by keys: the arrows choose lines, Enter opens and closes, and an input method keeps its Enter'() {
      desk = await open(`/s/${ID}/changes`, { width: 1280 });
      const sent = sentBy(desk);
      await unfold(desk, 'clock.rs');
      await tabTo(desk, '.change[data-file="clock.rs"] b[role]');
      // One stop of the tab key for all lines.
      assert.equal(await desk.$$eval('.change[data-file="clock.rs"] b[tabindex="0"]', (all) => all.length), 1);
      const first = await focused(desk);
      await desk.keyboard.press('ArrowDown');
      assert.notEqual(await focused(desk), first);
      await desk.keyboard.press('ArrowUp');
      await desk.keyboard.down('Shift');
      await desk.keyboard.press('ArrowDown');
      await desk.keyboard.press('ArrowDown');
      await desk.keyboard.up('Shift');
      assert.equal(await desk.$$eval('.chosen', (all) => all.length), 3);
      await desk.keyboard.press('Enter');
      await desk.waitForSelector('form.comment');
      const label = await fieldLabel(desk);
      assert.match(label, /^Comment on lines 9–11 of clock.rs$/);
      await desk.keyboard.type('One');
      await desk.keyboard.down('Shift');
      await desk.keyboard.press('Enter');
      await desk.keyboard.up('Shift');
      await desk.keyboard.type('two');
      // An input method composes: its keys close nothing.
      for (const key of ['Enter', 'Escape']) {
        await desk.$eval('form.comment textarea', (it, key) => {
          it.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, isComposing: true }));
          it.dispatchEvent(new KeyboardEvent('keydown', { key, keyCode: 229, bubbles: true, cancelable: true }));
        }, key);
        assert.notEqual(await desk.$('form.comment'), null, key);
      }
      await look(desk, 'comment-desk');
      await desk.setViewport({ width: 1280, height: 800 });
      await desk.keyboard.press('Enter');
      await noted(desk, 1);
      assert.deepEqual(await notes(desk), [['Lines 9–11', 'One\ntwo']]);
      assert.equal(await focused(desk), 'Comment on line 11');
      assert.deepEqual(sent, []);
    },

    async 'Shift and a click choose a range, of at most 100 lines'() {
      await unfold(desk, 'long.txt');
      await tap(await numberOf(desk, 'long.txt', 2));
      await labelled(desk, 'Comment on line 2 of long.txt');
      await desk.keyboard.type('Long');
      await desk.keyboard.down('Shift');
      await tap(await numberOf(desk, 'long.txt', 8));
      await desk.keyboard.up('Shift');
      await labelled(desk, 'Comment on lines 2–8 of long.txt');
      assert.equal(await desk.$eval('form.comment textarea', (it) => it.value), 'Long');
      const rest = await desk.$('.change[data-file="long.txt"] .body details > summary');
      await tap(rest);
      const far = await numberOf(desk, 'long.txt', 300);
      await desk.keyboard.down('Shift');
      await tap(far);
      await desk.keyboard.up('Shift');
      await labelled(desk, 'Comment on lines 2–101 of long.txt');
      await desk.keyboard.press('Escape');
      await noted(desk, 2);
    },

    async 'another tab of the browser shows the same comments'() {
      const other = await desk.browserContext().newPage();
      await other.goto(`${server}/s/${ID}/changes`);
      await until(other, () => document.querySelector('.tray .strong')?.textContent === 'Send 2 comments');
      await other.evaluate(() => document.querySelector('.change[data-file="clock.rs"]').open = true);
      await noted(other, 1);
      await other.$eval('button[aria-label="Remove the comment on lines 9–11 of clock.rs"]', (it) => it.click());
      await until(desk, () => document.querySelectorAll('article.comment').length === 1);
      await other.$$eval('.tray button', (all) => all.find((it) => it.textContent === 'Undo').click());
      await noted(desk, 2);
      await other.close();
      await desk.bringToFront();
    },

    async 'there are at most thirty comments, of at most 2,000 characters'() {
      const before = await desk.evaluate((key) => localStorage.getItem(key), KEY);
      assert.equal(await desk.evaluate(() => document.querySelectorAll('form.comment').length), 0);
      await desk.evaluate((key) => {
        const kept = JSON.parse(localStorage.getItem(key));
        const first = kept.list.find((it) => it.path === 'clock.rs');
        kept.list = Array.from({ length: 40 }, (_, n) => ({ ...first, id: `more-${n}`, text: `Comment ${n}` }));
        localStorage.setItem(key, JSON.stringify(kept));
      }, KEY);
      await desk.reload();
      await shows(desk, 'Send 30 comments');
      await unfold(desk, 'clock.rs');
      await tap(await numberOf(desk, 'clock.rs', 15));
      await shows(desk, 'There are 30 comments.');
      assert.equal(await desk.$('form.comment'), null);
      await desk.$eval('article.comment button', (it) => it.click());
      assert.equal(await desk.$eval('form.comment textarea', (it) => it.maxLength), 2000);
      await desk.keyboard.press('Escape');
      await desk.evaluate((key, before) => localStorage.setItem(key, before), KEY, before);
      await desk.reload();
      await shows(desk, 'Send 2 comments');
      // Text that the browser does not keep is said to be lost, and can be sent.
      await desk.evaluate(() => { Storage.prototype.setItem = () => { throw new DOMException('Full', 'QuotaExceededError'); }; });
      await unfold(desk, 'clock.rs');
      await tap(await numberOf(desk, 'clock.rs', 15));
      await desk.waitForSelector('form.comment');
      await desk.keyboard.type('Full');
      await shows(desk, 'This browser keeps no comments: a reload loses them.');
      await shows(desk, 'Send 3 comments');
      await desk.reload();
      await shows(desk, 'Send 2 comments');
      // What is kept in another form is no comment.
      await desk.evaluate((key) => localStorage.setItem(key, '{"list":[{"id":"a","path":"b","text":"c","lines":[]},7],"pending":4}'), KEY);
      await desk.reload();
      await shows(desk, 'By this session');
      assert.equal(await desk.$eval('.tray', (it) => it.hidden), true);
      await desk.browserContext().close();
    },

    async 'the prompt names file and lines, and quotes what was seen'(page) {
      const write = (comments) => page.evaluate(async (comments) => {
        const sheet = document.querySelector('link[href$="/page.css"]').href;
        const { promptOf } = await import(sheet.replace('page.css', 'comment_prompt.js'));
        return promptOf(comments);
      }, comments);
      const line = (number, text, sign = ' ') => ({ number, text, sign });
      assert.equal(await write([
        { path: 'b.rs', text: ' Why? \n', lines: [line(4, 'old();', '-'), line(4, 'new();', '+'), line(5, '')] },
        { path: 'a.rs', text: 'Gone?', lines: [line(7, 'x', '-')] },
        { path: 'b.rs', text: 'First', lines: [line(2, '\tfirst', '+')] },
      ]), [
        '3 comments on lines of the changes. In the quotes, + is an added line and - a removed one.', '',
        '1. b.rs, line 2:', '> +\tfirst', '', 'First', '',
        '2. b.rs, lines 4–5:', '> -old();', '> +new();', '>', '', 'Why?', '',
        '3. a.rs, removed line 7:', '> -x', '', 'Gone?',
      ].join('\n'));
      // No text of a file ends its quote.
      const hostile = await write([{ path: 'a\nb', text: 'So', lines: [line(null, 'one\u2028two\r\nthree\n\nIgnore all', '+')] }]);
      assert.equal(hostile, 'A comment on lines of the changes. In the quotes, + is an added line and - a removed one.\n\n'
        + '1. a b, a line:\n> +one two  three  Ignore all\n\nSo');
      // Long quotes are cut, and say so. A pair of surrogates is not divided.
      const long = await write([{ path: 'a', text: 'Long', lines: Array.from({ length: 100 }, (_, n) => line(n + 1, `${'x'.repeat(299)}😀`)) }]);
      assert.match(long, /^> … \(87 more lines\)$/m);
      assert.ok(long.includes(`> ${' '}${'x'.repeat(299)}…\n`) && long.length < 4_500, long.slice(0, 700));
      assert.equal(long.isWellFormed(), true);
    },

    async 'what does not arrive is kept, and is sent once'(page) {
      await page.setOfflineMode(true);
      await press(page, 'Send 2 comments');
      await shows(page, 'Not sent. The server cannot be reached.');
      await look(page, 'comments-not-sent');
      assert.equal((await kept(page)).length, 2);
      await page.setOfflineMode(false);
      // It arrives, and its answer does not.
      await page.evaluate(() => {
        const real = window.fetch;
        window.fetch = async (...given) => {
          await real(...given);
          window.fetch = real;
          throw new TypeError('Lost');
        };
      });
      await press(page, 'Send 2 comments');
      await until(page, () => !document.querySelector('.tray .strong').disabled && document.querySelector('.told').textContent.startsWith('Not sent'));
      await page.reload();
      await press(page, 'Send 2 comments');
      await shows(page, '2 comments are sent.');
      assert.deepEqual(await kept(page), []);
      await look(page, 'comments-sent');
      await page.reload();
      assert.equal(await page.$eval('.tray', (it) => it.hidden), true);
      await page.goto(`${server}/s/${ID}`);
      await phase(page, 'idle');
      await shows(page, 'I read the comments.');
      const prompts = await received('user', null, 'commented');
      assert.deepEqual(prompts.map((it) => it.message.content), [[
        '2 comments on lines of the changes. In the quotes, + is an added line and - a removed one.', '',
        '1. clock.rs, lines 10–13:', '>  // Line 10.', '>  // Line 11.', '> -let tick = 1;', '> +let tick = 2;',
        '> +let tock = "<img src=x onerror=\'window.ran=1\'>";', '', 'Two ticks?\nWhy?', '',
        '2. clock.rs, line 13:', '> +let tock = "<img src=x onerror=\'window.ran=1\'>";', '', 'Is it markup?',
      ].join('\n')]);
      assert.match(await textOf(page, '#log'), /2 comments on lines of the changes/);
      assert.equal(await page.evaluate(() => window.ran), undefined);
    },

    async 'a comment on lines that have changed since shows what it is about'(page) {
      await page.goto(`${server}/s/${ID}/changes`);
      await unfold(page, 'clock.rs');
      await tap(await numberOf(page, 'clock.rs', 12, '+'));
      await page.waitForSelector('form.comment');
      await page.type('form.comment textarea', 'Why 2?');
      await press(page, 'Done');
      await noted(page, 1);
      await direct('clock', 'let tick = 3;');
      await page.reload();
      await unfold(page, 'clock.rs');
      await shows(page, 'On lines that are not shown any more');
      assert.equal(await textOf(page, '#lost .quote'), '+let tick = 2;');
      assert.match(await textOf(page, '#lost .which'), /clock.rs, Line 12/);
      await look(page, 'comment-lost');
      await tap(await page.$('#lost button[aria-label^=Edit]'));
      await page.waitForSelector('#lost form.comment');
      await page.type('#lost form.comment textarea', ' And now 3?');
      await press(page, 'Done');
      await shows(page, 'Why 2? And now 3?');
      await press(page, 'Send 1 comment');
      await shows(page, 'The comment is sent.');
      await until(page, () => document.getElementById('lost').hidden);
    },

    async 'the cards of the conversation take comments, which are those of the page of the changes'(page) {
      const sent = sentBy(page);
      await page.goto(`${server}/s/${ID}`);
      await phase(page, 'idle');
      await tap(await rowOf(page, 'long.txt', 'row 3'));
      await until(page, () => /^Comment on line 3 of .*long.txt$/.test(document.querySelector('form.comment textarea')?.ariaLabel ?? ''));
      await page.keyboard.type('Row three?');
      await shows(page, 'Send 1 comment');
      await look(page, 'card-comment-field');
      await page.keyboard.press('Escape');
      await noted(page, 1);
      // A range, of removed and added lines.
      await hold(page, await rowOf(page, 'clock.rs', 'let tick = 1;'), () => document.querySelector('.chosen'));
      await tap(await rowOf(page, 'clock.rs', 'let tick = 2;'));
      await page.waitForSelector('form.comment');
      await page.type('form.comment textarea', 'Two?');
      await press(page, 'Done');
      await noted(page, 2);
      await look(page, 'card-comments');
      assert.deepEqual(sent, []);
      // What is collected covers less than half of a phone.
      assert.ok(await page.$eval('#composer', (it) => it.offsetHeight < innerHeight / 2));
      // Nor that of a screen at a large zoom.
      await page.setViewport({ width: 320, height: 200, isMobile: true, hasTouch: true });
      await until(page, () => innerHeight === 200);
      assert.ok(await page.$eval('#composer', (it) => it.offsetHeight <= innerHeight / 2));
      await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
      await page.reload();
      await shows(page, 'Send 2 comments');
      // The card of the other one is not in the document, until the reader comes near.
      await noted(page, 1);
      await page.evaluate(() => scrollTo(0, 0));
      await noted(page, 2);
      await page.goto(`${server}/s/${ID}/changes`);
      await shows(page, 'Send 2 comments');
      await unfold(page, 'long.txt');
      await shows(page, 'Row three?');
      await tap(await numberOf(page, 'long.txt', 5));
      await page.waitForSelector('form.comment');
      await page.type('form.comment textarea', 'Written there');
      await press(page, 'Done');
      await page.goto(`${server}/s/${ID}`);
      await phase(page, 'idle');
      await shows(page, 'Send 3 comments');
      await noted(page, 1);
      // One of them has no line here.
      await shows(page, 'Show all');
      await page.setOfflineMode(true);
      await press(page, 'Send 3 comments');
      await shows(page, 'Not sent. The server cannot be reached.');
      assert.equal((await kept(page)).length, 3);
      await page.setOfflineMode(false);
      await phase(page, 'idle');
      const remove = 'button[aria-label^="Remove the comment on line 3 of"]';
      await tap(await page.waitForSelector(remove));
      await until(page, (remove) => !document.querySelector(remove), remove);
      await press(page, 'Undo');
      await page.waitForSelector(remove);
    },

    async 'comments are sent from the conversation, and a card that is drawn anew keeps the open field'(page) {
      await press(page, 'Send 3 comments');
      await until(page, () => document.querySelector('.collected').hidden && !document.querySelector('article.comment'));
      assert.deepEqual(await kept(page), []);
      const prompt = (await received('user', null, 'commented')).at(-1).message.content;
      assert.match(prompt, /^3 comments on lines of the changes\./);
      assert.match(prompt, /\d\. \/.*\/long\.txt, line 3:\n> \+row 3\n\nRow three\?/);
      assert.match(prompt, /\d\. \/.*\/clock\.rs, line 12:\n> -let tick = 1;\n> \+let tick = 2;\n\nTwo\?/);
      assert.match(prompt, /\d\. long\.txt, line 5:\n> \+row 5\n\nWritten there/);
      // The agent edits: where the change is in the file is not known before its result.
      const number = await rowOf(page, 'hand.rs', 'let other = 3;');
      assert.equal(await number.evaluate((it) => it.ariaLabel), 'Comment on a line: let other = 3;');
      await tap(number);
      await labelled(page, 'Comment on a line of /garden/hand.rs');
      await page.keyboard.type('Which ');
      const before = await topOf(await page.$('form.comment textarea'));
      await direct('open', 'edited');
      await labelled(page, 'Comment on line 42 of /garden/hand.rs');
      await shows(page, 'The hand is moved.');
      assert.equal(await page.evaluate(() => document.activeElement.name), 'text');
      await page.keyboard.type('other?');
      assert.equal(await page.$eval('form.comment textarea', (it) => it.value), 'Which other?');
      // The new lines are above the field: nothing else has moved it.
      assert.ok(Math.abs(await topOf(await page.$('form.comment textarea')) - before) < 100);
      // Escape ends the comment, and not the turn.
      await page.keyboard.press('Escape');
      await noted(page, 1);
      assert.deepEqual(await received('control_request', 'interrupt', 'commented'), []);
      await press(page, 'Send 1 comment');
      await until(page, () => document.querySelector('.collected').hidden);
      await direct('open', 'hand');
      await shows(page, 'I read them all.');
      const last = (await received('user', null, 'commented')).at(-1).message.content;
      assert.match(last, /1\. \/garden\/hand\.rs, line 42:\n> \+let other = 3;\n\nWhich other\?/);
    },
  };
}
