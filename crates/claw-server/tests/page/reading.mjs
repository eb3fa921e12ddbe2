// Texts that are read: URLs, Arabic, wide tables and long pastes. And what is dictated into the prompt.
import assert from 'node:assert/strict';

/** A browser that recognizes speech. `window.hears` has it recognize something. */
function recognizes() {
  window.heardBy = [];
  window.webkitSpeechRecognition = undefined;
  window.SpeechRecognition = class {
    start() {
      if (window.isBroken) throw new DOMException('No', 'InvalidStateError');
      window.heardBy.push(this);
    }

    stop() { this.onend(); }

    abort() { this.isAborted = true; }
  };
  window.hears = (text, isFinal) => {
    window.heardBy.at(-1).onresult({ resultIndex: 0, results: [Object.assign([{ transcript: text }], { isFinal })] });
  };
}

export function steps({ server, begin, look, open, phase, press, received, shows, tap, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const value = (page) => page.$eval('#prompt', (it) => it.value);
  /** Puts a text into the prompt, as one pastes it. */
  const paste = (page, text) => page.$eval('#prompt', (it, text) => {
    it.value = text;
    it.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);
  const long = Array.from({ length: 200 }, (_, n) => `12:00:${n} the clock ticks`).join('\n');
  let place = null;

  return {
    async 'bare URLs are links, with the checks of other links'(page) {
      place = await begin(page, 'reading');
      await page.type('#prompt', 'Write');
      await press(page, 'Send');
      await shows(page, 'انتهى.');
      await phase(page, 'idle');
      const links = await page.$$eval('.markdown a', (all) => all.map((it) => [it.getAttribute('href'), it.textContent, it.rel, it.target]));
      const rel = 'noopener noreferrer nofollow';
      assert.deepEqual(links, [
        'https://docs.example/a_b?c=d&e=f#g', 'https://docs.example/clock_(wall)', 'https://docs.example/ar',
      ].map((url) => [url, url, rel, '_blank']));
    },

    async 'Arabic is written from right to left, and code is not'(page) {
      const sides = await page.$$eval('.markdown > .block > *', (all) => all.map((it) => getComputedStyle(it).direction));
      assert.deepEqual(sides, ['ltr', 'rtl', 'rtl', 'rtl', 'ltr', 'ltr', 'ltr', 'rtl']);
      assert.deepEqual(await page.$$eval('.markdown code', (all) => all.map((it) => getComputedStyle(it).direction)), ['ltr', 'ltr', 'ltr']);
      // The mark of an item is on the right.
      assert.ok(await page.$eval('.markdown ul', (it) => Number.parseFloat(getComputedStyle(it).paddingRight)) > 10);
      await look(page, 'reading');
    },

    async 'a wide table scrolls by itself, and divides no word'(page) {
      const table = await page.$eval('.markdown .table', (it) => [it.scrollWidth > it.clientWidth, it.tabIndex]);
      assert.deepEqual(table, [true, 0]);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      // A cell of one word has one line.
      const heights = await page.$$eval('.markdown td', (all) => all.filter((it) => !/[ -]/.test(it.textContent))
        .map((it) => { const range = document.createRange(); range.selectNodeContents(it); return range.getClientRects().length; }));
      assert.ok(heights.length === 4 && heights.every((it) => it === 1), heights.join());
      await page.focus('.markdown .table');
      await page.keyboard.press('ArrowRight');
      await until(page, () => document.querySelector('.markdown .table').scrollLeft > 0);
    },

    async 'a code block has a button that copies it'(page) {
      await tap(await page.$('.markdown .code .copy'));
      await until(page, () => /Copied|Selected/.test(document.querySelector('.copy').textContent));
    },

    async 'diagrams are pictures, with their source'(page) {
      await page.type('#prompt', 'Draw');
      await press(page, 'Send');
      await shows(page, 'They are drawn.');
      await phase(page, 'idle');
      const texts = await page.$$eval('.diagram', (all) => all.map((it) => [...it.querySelectorAll('text')].map((it) => it.textContent)));
      assert.deepEqual(texts, [
        ['Read it', 'Whole?', 'Keep it in the store of all', 'Ask the person who wrote it', 'yes', 'no'],
        ['Page', 'Server', 'a prompt', 'text'],
      ]);
      // A text is inside its outline, in the font of this browser.
      const inside = await page.$$eval('.diagram svg', (all) => all.flatMap((svg) => {
        const boxes = [...svg.querySelectorAll('.node')].map((it) => it.getBoundingClientRect());
        const texts = [...svg.querySelectorAll('text')].map((it) => it.getBoundingClientRect());
        return texts.slice(0, boxes.length).map((it, n) => boxes[n].left < it.left && it.right < boxes[n].right);
      }));
      assert.deepEqual(inside, Array(6).fill(true));
      // A wide picture scrolls by itself.
      assert.deepEqual(await page.$eval('.diagram > div', (it) => [it.scrollWidth > it.clientWidth, it.tabIndex]), [true, 0]);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await look(page, 'diagrams');
      // The source is below, and is copied. A kind that is not drawn is code.
      const source = await page.$('.diagram summary');
      await tap(source);
      assert.match(await page.$eval('.diagram code', (it) => it.textContent), /^flowchart LR\n/);
      await tap(await page.$('.diagram .copy'));
      await until(page, () => /Copied|Selected/.test(document.querySelector('.diagram .copy').textContent));
      await tap(source);
      assert.equal(await page.$$eval('[data-language=mermaid]', (all) => all.filter((it) => !it.closest('.diagram')).length), 1);
    },

    async 'a long paste shows its beginning, and the whole when it is wished or found'(page) {
      await paste(page, `${long}\nneedle`);
      await press(page, 'Send');
      await shows(page, 'It is read.');
      await phase(page, 'idle');
      const summary = await page.waitForSelector('.userInput .paste > summary');
      assert.equal(await summary.evaluate((it) => it.textContent), 'Show all, 201 lines');
      const seen = () => page.$eval('.userInput:has(.paste) .text', (it) => [it.clientHeight, it.scrollHeight]);
      const [height, whole] = await seen();
      assert.ok(height < 400 && whole > 3_000, `${height} of ${whole}`);
      await look(page, 'paste');
      await tap(summary);
      assert.deepEqual(await seen(), [whole, whole]);
      await tap(summary);
      assert.deepEqual(await seen(), [height, whole]);
      // A short prompt has no switch.
      assert.equal(await page.$$eval('.paste', (all) => all.length), 1);
      await page.click('#find');
      await page.type('#sought', 'needle');
      await until(page, () => document.querySelector('.paste').open);
      await page.click('#unfind');
      // What is brought back is the whole.
      await page.focus('#prompt');
      await page.keyboard.press('ArrowUp');
      assert.equal(await value(page), `${long}\nneedle`);
      await paste(page, '');
    },

    async 'without speech recognition there is no button'() {
      const desk = await open('/', { width: 1280 });
      await desk.evaluateOnNewDocument(() => { delete window.SpeechRecognition; delete window.webkitSpeechRecognition; });
      await desk.goto(server + place);
      await phase(desk, 'idle');
      assert.equal(await desk.$eval('#dictate', (it) => it.hidden), true);
      await desk.browserContext().close();
    },

    async 'what is dictated comes to the cursor, and is not sent'(page) {
      await page.evaluateOnNewDocument(recognizes);
      await page.goto(server + place);
      await phase(page, 'idle');
      const sent = [];
      page.on('request', (it) => { if (it.method() === 'POST') sent.push(new URL(it.url()).pathname); });
      await paste(page, 'Mend clock');
      await page.$eval('#prompt', (it) => it.setSelectionRange(4, 4));
      await page.click('#unfold');
      await press(page, 'Dictate');
      await shows(page, 'Listening…');
      assert.equal(await page.$eval('#dictate', (it) => it.ariaPressed), 'true');
      assert.deepEqual(await page.evaluate(() => { const [it] = window.heardBy; return [it.lang === navigator.language, it.continuous]; }), [true, true]);
      await page.evaluate(() => window.hears('the all', false));
      await shows(page, 'the all');
      assert.equal(await value(page), 'Mend clock');
      await look(page, 'dictation');
      await page.evaluate(() => window.hears(' the old ', true));
      assert.equal(await value(page), 'Mend the old clock');
      assert.equal(await page.$eval('#prompt', (it) => it.selectionStart), 12);
      // The draft is kept, and an input method is not disturbed.
      assert.ok(await page.evaluate(() => Object.values(localStorage).includes('Mend the old clock')));
      await page.$eval('#prompt', (it) => it.dispatchEvent(new CompositionEvent('compositionstart')));
      await page.evaluate(() => window.hears('wall', true));
      assert.equal(await value(page), 'Mend the old clock');
      await page.$eval('#prompt', (it) => it.dispatchEvent(new CompositionEvent('compositionend')));
      assert.equal(await value(page), 'Mend the old wall clock');
      await press(page, 'End dictation');
      assert.equal(await page.$eval('#heard', (it) => it.hidden), true);
      assert.deepEqual(sent, []);
    },

    async 'a prompt that is sent ends the dictation, and what is heard later is left out'(page) {
      await press(page, 'Dictate');
      await press(page, 'Send');
      await until(page, () => document.getElementById('prompt').value === '');
      assert.equal(await page.evaluate(() => window.heardBy.at(-1).isAborted), true);
      await page.evaluate(() => window.hears('and more', true));
      assert.equal(await value(page), '');
      assert.equal(await page.$eval('#dictate', (it) => it.ariaPressed), 'false');
      await phase(page, 'idle');
      const prompts = await received('user', null, 'reading');
      assert.equal(prompts.at(-1).message.content, 'Mend the old wall clock');
    },

    async 'a browser that refuses says so'(page) {
      await page.click('#unfold');
      await press(page, 'Dictate');
      await page.evaluate(() => { const it = window.heardBy.at(-1); it.onerror({ error: 'not-allowed' }); it.onend(); });
      await shows(page, 'The browser does not allow this page to use the microphone.');
      assert.equal(await textOf(page, '#dictate'), 'Dictate');
      await page.evaluate(() => { window.isBroken = true; });
      await press(page, 'Dictate');
      await shows(page, 'The browser does not allow its speech recognition here.');
      await page.evaluate(() => { window.isBroken = false; });
      await press(page, 'Dictate');
      assert.equal(await page.$eval('#unsent', (it) => it.hidden), true);
      // A pause is no trouble.
      await page.evaluate(() => { const it = window.heardBy.at(-1); it.onerror({ error: 'no-speech' }); it.onend(); });
      assert.equal(await page.$eval('#unsent', (it) => it.hidden), true);
    },
  };
}
