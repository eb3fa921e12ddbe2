// Prompts that are written without a connection, large images, and a photo on its way to the model.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function steps({ begin, decision, direct, look, open, phase, press, received, shows, tap, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const rows = (page) => page.$$eval('#outbox li > span', (all) => all.map((it) => it.textContent));
  const waits = (page, count) => until(page, (count) => document.querySelectorAll('#outbox li').length === count, count);
  /** The contents of the prompts that the agent has received. */
  const prompts = async () => (await received('user', null, 'outbox')).map((it) => it.message.content);
  const textsOf = async () => (await prompts()).map((it) => (typeof it === 'string' ? it : it.find((part) => part.type === 'text').text));
  let client = null;

  /** Has each prompt end in this way, until the returned function is called. */
  async function prevent(page, answer) {
    client = await page.createCDPSession();
    client.on('Fetch.requestPaused', ({ requestId }) => answer(requestId)?.catch(() => {}));
    await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/prompts' }] });
  }
  const lose = (requestId) => client.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' });
  async function restore(page) {
    await client.detach();
    // The page connects again.
    await page.setOfflineMode(true);
    await phase(page, 'lost');
    await page.setOfflineMode(false);
  }
  async function send(page, text) {
    await page.type('#prompt', text);
    await press(page, 'Send');
  }
  const attach = (page, name, type, make) => page.evaluate(async (name, type, make) => {
    const data = new DataTransfer();
    data.items.add(new File([await eval(make)], name, { type }));
    document.getElementById('files').files = data.files;
    document.getElementById('files').dispatchEvent(new Event('change'));
  }, name, type, make);

  return {
    async 'prompts without a connection wait, also over a reload, and are sent once and in order'(page) {
      await begin(page, 'outbox');
      await prevent(page, lose);
      await send(page, 'The first');
      await waits(page, 1);
      assert.equal(await page.$eval('#prompt', (it) => it.value), '');
      await send(page, 'The second');
      await waits(page, 2);
      await look(page, 'outbox');
      await page.reload();
      await waits(page, 2);
      assert.deepEqual(await rows(page), ['The first', 'The second']);
      assert.match(await textOf(page, '#outbox'), /^Not sent yet\. They are sent when the server is there again\./);
      assert.deepEqual(await textsOf(), []);
      await restore(page);
      await waits(page, 0);
      assert.equal(await page.$eval('#outbox', (it) => it.hidden), true);
      await until(page, () => document.getElementById('log').innerText.split('It has arrived.').length === 3);
      await phase(page, 'idle');
      assert.deepEqual(await textsOf(), ['The first', 'The second']);
    },

    async 'what waits is edited or removed'(page) {
      await prevent(page, lose);
      await send(page, 'Never');
      await waits(page, 1);
      await press(page, 'Remove');
      await waits(page, 0);
      await send(page, 'Not yet');
      await waits(page, 1);
      await page.type('#prompt', 'Something else');
      await press(page, 'Edit');
      await shows(page, 'The field for the next prompt is not empty.');
      assert.deepEqual(await rows(page), ['Not yet']);
      await page.$eval('#prompt', (it) => {
        it.value = '';
        it.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await press(page, 'Edit');
      await waits(page, 0);
      assert.equal(await page.$eval('#prompt', (it) => it.value), 'Not yet');
      await restore(page);
      await phase(page, 'idle');
      await press(page, 'Send');
      await until(page, () => document.getElementById('log').innerText.split('It has arrived.').length === 4);
      assert.deepEqual((await textsOf()).slice(2), ['Not yet']);
    },

    async 'a prompt that the server refuses later says why'(page) {
      await phase(page, 'idle');
      let answer = lose;
      await prevent(page, (requestId) => answer(requestId));
      await send(page, 'Refused');
      await waits(page, 1);
      answer = (requestId) => client.send('Fetch.fulfillRequest', {
        requestId, responseCode: 409, responseHeaders: [{ name: 'content-type', value: 'application/json' }],
        body: btoa(JSON.stringify({ error: { message: 'The session has ended.' } })),
      });
      await send(page, 'Behind it');
      await waits(page, 2);
      await shows(page, 'Not sent: The session has ended.');
      await look(page, 'refused');
      // Another page of the session reaches the server, and sends them.
      const other = await page.browserContext().newPage();
      await other.goto(page.url());
      await until(other, () => document.getElementById('log').innerText.split('It has arrived.').length === 6);
      await restore(page);
      await waits(page, 0);
      await other.close();
      await until(page, () => document.getElementById('log').innerText.split('It has arrived.').length === 6);
      await phase(page, 'idle');
      assert.deepEqual((await textsOf()).slice(3), ['Refused', 'Behind it']);
    },

    async 'what waits goes along when the session continues under another ID'(page) {
      await page.evaluate(async () => {
        const { href } = document.querySelector('link[href$="/page.css"]');
        const { outbox } = await import(href.replace('page.css', 'outbox.js'));
        const of = (session) => outbox({ session, send: () => Promise.reject(new TypeError('No connection')), edit: () => false });
        const old = of('old');
        await old.keep({ uuid: 'c0ffee00-0000-4000-8000-000000000000', text: 'Goes along' });
        await old.moved('new');
        document.getElementById('outbox').replaceChildren();
        await of('new').flush();
      });
      await waits(page, 1);
      assert.deepEqual(await rows(page), ['Goes along']);
      await press(page, 'Remove');
      await waits(page, 0);
    },

    async 'a photo is made smaller, and sending it can be cancelled'(page) {
      await attach(page, 'photo.png', 'image/png', `new Promise((done) => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 3000, height: 1500 });
        const drawing = canvas.getContext('2d');
        const pixels = drawing.createImageData(3000, 1500);
        for (let n = 0; n < pixels.data.length; n += 65536) crypto.getRandomValues(pixels.data.subarray(n, n + 65536));
        drawing.putImageData(pixels, 0, 0);
        canvas.toBlob(done, 'image/png');
      })`);
      await until(page, () => document.querySelector('#pictures img')?.naturalWidth > 0);
      const [width, height, source] = await page.$eval('#pictures img', (it) => [it.naturalWidth, it.naturalHeight, it.src.slice(0, 16)]);
      assert.deepEqual([width, height, source], [2000, 1000, 'data:image/jpeg;']);
      const asked = new Promise((done) => { prevent(page, done); });
      await send(page, 'See');
      await asked;
      await press(page, 'Cancel');
      await shows(page, 'Cancelled. It was not sent, unless it is shown above.');
      assert.equal(await page.$eval('#prompt', (it) => it.value), 'See');
      assert.deepEqual(await rows(page), []);
      await restore(page);
      await phase(page, 'idle');
      await press(page, 'Send');
      await until(page, () => document.getElementById('log').innerText.split('It has arrived.').length === 7);
      const image = (await prompts()).at(-1).find((it) => it.type === 'image');
      assert.equal(image.source.media_type, 'image/jpeg');
      assert.ok(image.source.data.length < 5_000_000);
    },

    async 'an answer without a connection waits, and another one takes its place'(page) {
      const answers = async () => (await received('control_response', null, 'late-answer')).length;
      await begin(page, 'late-answer');
      const initial = await answers();
      await send(page, 'Clean');
      await page.waitForSelector('#requests form');
      await page.setOfflineMode(true);
      await phase(page, 'lost');
      await tap(await page.$('#requests button[value=allow]'));
      await shows(page, 'Not sent yet: Allow once. It is sent when the server is there again.');
      await look(page, 'late-answer');
      // What became of the answer is below the buttons, and is shown also where there is little room.
      await page.setViewport({ width: 390, height: 430, isMobile: true, hasTouch: true });
      const deny = await page.$('#requests button[value=deny]');
      await deny.evaluate((it) => {
        const end = document.getElementById('composer').getBoundingClientRect().top;
        scrollBy({ top: it.getBoundingClientRect().bottom - end + 4, behavior: 'instant' });
      });
      await deny.tap();
      await shows(page, 'Not sent yet: Deny.');
      await until(page, () => {
        const [note, end] = ['#requests .trouble', '#composer'].map((it) => document.querySelector(it).getBoundingClientRect());
        return note.bottom <= end.top + 1;
      });
      await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
      await page.setOfflineMode(false);
      await shows(page, 'It was denied.');
      await phase(page, 'idle');
      assert.equal(await answers(), initial + 1);
      assert.equal((await decision('late-answer')).behavior, 'deny');
      // An answer that was taken back is not sent.
      await send(page, 'Again');
      await page.waitForSelector('#requests form');
      await page.setOfflineMode(true);
      await phase(page, 'lost');
      await tap(await page.$('#requests button[value=allow]'));
      await press(page, 'Take it back');
      await page.setOfflineMode(false);
      await phase(page, 'asking');
      assert.equal(await answers(), initial + 1);
      await press(page, 'Deny');
      await phase(page, 'idle');
      assert.equal(await answers(), initial + 2);
    },

    async 'the real claude: a prompt without a connection waits over a reload, and is sent once'(page) {
      await begin(page, 'real');
      await prevent(page, lose);
      await send(page, 'Hello');
      await waits(page, 1);
      await page.reload();
      await waits(page, 1);
      await restore(page);
      await waits(page, 0);
      await shows(page, 'Yes.');
      await phase(page, 'idle');
      await page.reload();
      await shows(page, 'Yes.');
      assert.equal(await page.$$eval('#log > .userInput', (all) => all.length), 1);
    },

    async 'the real claude: a photo is picked, made smaller, and reaches the model with the prompt'(page) {
      // As a camera writes it: coloured areas, and noise in all of them.
      const photo = Buffer.from(await page.evaluate(async () => {
        const canvas = new OffscreenCanvas(4000, 3000);
        const drawing = canvas.getContext('2d');
        const noise = drawing.createImageData(400, 300);
        for (let n = 0; n < noise.data.length; n += 65536) crypto.getRandomValues(noise.data.subarray(n, n + 65536));
        for (let x = 0; x < 4000; x += 400) for (let y = 0; y < 3000; y += 300) drawing.putImageData(noise, x, y);
        drawing.fillStyle = 'rgb(200 30 30 / .7)';
        drawing.fillRect(0, 0, 2000, 3000);
        drawing.fillStyle = 'rgb(30 30 200 / .7)';
        drawing.fillRect(2000, 0, 2000, 3000);
        const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
        return new Promise((done) => {
          const reader = new FileReader();
          reader.onload = () => done(reader.result.split(',')[1]);
          reader.readAsDataURL(blob);
        });
      }), 'base64');
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'claw-photo-'));
      fs.writeFileSync(path.join(folder, 'photo.jpg'), photo);
      /** The size of an image, and which colours are on its left and on its right. */
      const drawn = (source) => page.evaluate(async (source) => {
        const image = Object.assign(new Image(), { src: source });
        await image.decode();
        const { naturalWidth: width, naturalHeight: height } = image;
        const drawing = new OffscreenCanvas(2, 1).getContext('2d');
        drawing.drawImage(image, 0, 0, 2, 1);
        const [left, , leftBlue, , right, , rightBlue] = drawing.getImageData(0, 0, 2, 1).data;
        return { width, height, colours: [left > leftBlue ? 'red' : 'blue', right > rightBlue ? 'red' : 'blue'] };
      }, source);
      const whole = { width: 2000, height: 1500, colours: ['red', 'blue'] };

      await begin(page, 'real');
      await tap(await page.$('#unfold'));
      const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'Attach')]);
      await chooser.accept([path.join(folder, 'photo.jpg')]);
      await until(page, () => document.querySelector('#pictures img')?.naturalWidth > 0);
      fs.rmSync(folder, { recursive: true });
      assert.deepEqual(await drawn(await page.$eval('#pictures img', (it) => it.src)), whole);
      await look(page, 'photo-picked');
      await send(page, 'What is on the photo?');
      await shows(page, 'Yes.');
      await phase(page, 'idle');
      assert.equal(await page.$('#pictures img'), null);

      // What the model has got.
      const { messages } = JSON.parse(await direct('asked-of', 'What is on the photo?'));
      const prompts = messages.filter((it) => it.role === 'user').flatMap((it) => it.content);
      const images = prompts.filter((it) => it.type === 'image');
      assert.equal(images.length, 1);
      const { type, media_type: mediaType, data } = images[0].source;
      assert.deepEqual([type, mediaType], ['base64', 'image/jpeg']);
      const bytes = Buffer.from(data, 'base64');
      assert.ok(bytes.length < photo.length / 2, `${bytes.length} of ${photo.length} bytes`);
      const { width, height, colours } = await drawn(`data:${mediaType};base64,${data}`);
      assert.ok(width <= 2000 && Math.abs(width / height - 4 / 3) < 0.01, `${width} x ${height}`);
      assert.deepEqual(colours, whole.colours);
      const texts = prompts.filter((it) => it.type === 'text').map((it) => it.text);
      assert.equal(texts.filter((it) => it.trim() === 'What is on the photo?').length, 1, JSON.stringify(texts));

      /** The conversation has the photo and the prompt, once each. */
      const isShown = async () => {
        await until(page, () => document.querySelector('#log img')?.naturalWidth > 0);
        const sources = await page.$$eval('#log img', (all) => all.map((it) => it.src));
        assert.equal(sources.length, 1);
        assert.deepEqual((await drawn(sources[0])).colours, whole.colours);
        assert.deepEqual(await page.$$eval('#log > .userInput .text', (all) => all.map((it) => it.textContent)), ['What is on the photo?']);
      };
      await isShown();
      await look(page, 'photo');
      await page.reload();
      await shows(page, 'Yes.');
      await isShown();
      // Also if the session is read from disk.
      await page.evaluate(() => fetch(`/api/sessions/${document.body.dataset.session}/close`, { method: 'POST', headers: { 'x-claw-key': localStorage.getItem('claw.key') } }));
      await page.reload();
      await shows(page, 'Yes.');
      await isShown();
    },
  };
}
