// Back, and again: copies from a prompt on, prompts that are written anew, files as they were, prompts that wait.
import assert from 'node:assert/strict';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

export function steps({ server, begin, direct, lacks, look, open, phase, press, prompt, received, said, shows, tap, textOf }) {
  const settled = (page) => page.evaluate(() => new Promise((done) => { setTimeout(done, 300); }));
  const prompts = (page) => page.$$eval('#log > .userInput:not(.sub) .text', (all) => all.map((it) => it.textContent));
  const waiting = (page, count) => page.waitForFunction((count) => document.querySelectorAll('.waiting li').length === count, { polling: 50 }, count);
  const value = (page) => page.$eval('#prompt', (it) => it.value);
  /** Opens the menu of a prompt, and takes one of its items. */
  async function choose(page, n, item) {
    const buttons = await page.$$('#log .about');
    await tap(buttons[n]);
    await page.waitForSelector('[role=menu]');
    await press(page, item);
  }
  const moved = (page, from) => page.waitForFunction((from) => location.pathname.startsWith('/s/') && location.pathname !== from, {}, from);
  const dialog = (page, text) => page.waitForFunction((text) => {
    const it = document.querySelector('dialog[open]');
    return it && it.innerText.includes(text);
  }, { polling: 50 }, text);
  /** Attaches a file, whose bytes are given in base64. */
  const attach = (page, name, type, base64) => page.evaluate((name, type, base64) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }));
    document.getElementById('files').files = data.files;
    document.getElementById('files').dispatchEvent(new Event('change'));
  }, name, type, base64);
  const closed = (page) => page.waitForFunction(() => !document.querySelector('dialog[open]'), { polling: 50 });
  let place = null;

  return {
    async 'prompts that wait are seen, edited and taken back'(page) {
      await begin(page, 'queue');
      await prompt(page, 'Begin');
      await shows(page, 'I work.');
      await waiting(page, 0);
      await prompt(page, 'Not this', 'Add');
      await prompt(page, 'But this', 'Add');
      await waiting(page, 2);
      assert.deepEqual(await page.$$eval('.waiting span', (all) => all.map((it) => it.textContent)), ['Not this', 'But this']);
      // They are in that list alone.
      assert.deepEqual(await page.$$eval('#log > .userInput', (all) => all.filter((it) => it.checkVisibility()).map((it) => it.querySelector('.text').innerText.trim())), ['Begin']);
      await look(page, 'waiting');
      await page.type('#prompt', 'A draft');
      await tap(await page.$('.waiting li button'));
      await page.waitForFunction(() => document.getElementById('prompt').value === 'Not this\n\nA draft', { polling: 50 });
      await waiting(page, 1);
      assert.deepEqual(await prompts(page), ['Begin', 'But this']);
      const [, sent] = await received('user', null, 'queue');
      const [cancelled] = await received('control_request', 'cancel_async_message', 'queue');
      assert.equal(cancelled.request.message_uuid, sent.uuid);
      // What was taken cannot be taken back, and that is said.
      await press(page, 'Take back');
      await shows(page, 'Claude has taken it already');
      await look(page, 'taken');
      await direct('open', 'worked');
      await shows(page, 'The second as well.');
      await phase(page, 'idle');
      await waiting(page, 0);
      assert.deepEqual(await prompts(page), ['Begin', 'But this']);
      // No error is left of it.
      assert.equal(await page.$eval('#trouble', (it) => it.hidden), true, await textOf(page, 'body'));
      await page.$eval('#prompt', (it) => { it.value = ''; it.dispatchEvent(new Event('input')); });
      await prompt(page, 'Once more');
      await shows(page, 'And again.');
    },

    async 'a menu by keyboard, which stops no turn, and why files cannot be restored'(page) {
      const desk = await open(await begin(page, 'rewind'), { width: 1280 });
      await phase(desk, 'idle');
      await prompt(desk, '<b>Look</b>');
      await shows(desk, 'Nothing to see.');
      await phase(desk, 'idle');
      await desk.focus('#log .about');
      await desk.keyboard.press('Enter');
      const focused = () => desk.evaluate(() => document.activeElement.textContent);
      assert.equal(await focused(), 'Fork from here');
      await look(desk, 'menu');
      await desk.keyboard.press('ArrowUp');
      assert.equal(await focused(), 'Restore files…');
      await desk.keyboard.press('Escape');
      assert.equal(await desk.$('[role=menu]'), null);
      assert.equal(await focused(), '⋯');
      await desk.keyboard.press('Enter');
      await desk.keyboard.press('End');
      await desk.keyboard.press('Enter');
      await dialog(desk, 'is not enabled');
      assert.equal(await desk.evaluate(() => typeof window.ran), 'undefined');
      await look(desk, 'restore-refused');
      await desk.keyboard.press('Enter');
      await closed(desk);
      // Enter restores nothing: it means what has the focus, which is to cancel.
      await choose(desk, 0, 'Restore files…');
      await dialog(desk, '/other/<b>.rs');
      await desk.keyboard.press('Enter');
      await closed(desk);
      assert.equal((await received('control_request', 'rewind_files', 'rewind')).length, 2);
      assert.ok((await received('control_request', 'rewind_files', 'rewind')).every((it) => it.request.dry_run));
      await desk.browserContext().close();
    },

    async 'the real claude: files are restored as they were shown'(page) {
      place = await begin(page, 'real');
      await page.select('#mode', 'acceptEdits');
      await prompt(page, 'Write the poem');
      await said(page, 'It is written.', 1);
      await prompt(page, 'Change the poem');
      await said(page, 'It is changed.', 1);
      assert.equal(await direct('poem'), 'roses\nare\nred\n');
      await choose(page, 1, 'Restore files…');
      await dialog(page, 'poem.txt');
      await dialog(page, '1 line inserted, 2 lines deleted');
      assert.doesNotMatch(await textOf(page, 'dialog[open]'), /real\/poem/);
      await look(page, 'restore');
      await page.keyboard.press('Escape');
      await closed(page);
      assert.equal(await direct('poem'), 'roses\nare\nred\n');
      await choose(page, 1, 'Restore files…');
      await press(page, 'Restore this file');
      await shows(page, 'The files are restored.');
      await closed(page);
      assert.equal(await direct('poem'), 'roses\nviolets\n');
      await look(page, 'restored');
      // What is not what was shown is not done.
      await choose(page, 0, 'Restore files…');
      await dialog(page, '2 lines deleted');
      await direct('poem', 'one\ntwo\nthree\n');
      await press(page, 'Restore this file');
      await dialog(page, 'others than those that were listed');
      assert.equal(await direct('poem'), 'one\ntwo\nthree\n');
      await look(page, 'restore-changed');
      await press(page, 'Restore this file');
      await shows(page, 'The files are restored.');
      await closed(page);
      assert.equal(await direct('poem'), null);
      await choose(page, 0, 'Restore files…');
      await dialog(page, 'No file that Claude has edited has changed');
      await press(page, 'Close');
    },

    async 'the real claude: after its process has ended, files are restored all the same'(page) {
      await direct('poem', 'something else\n');
      await page.evaluate(() => fetch(`/api/sessions/${document.body.dataset.session}/close`, { method: 'POST', headers: { 'x-claw-key': localStorage.getItem('claw.key') } }));
      await page.goto(server + place);
      await phase(page, 'idle');
      await choose(page, 1, 'Restore files…');
      await dialog(page, 'poem.txt');
      await press(page, 'Restore this file');
      await shows(page, 'The files are restored.');
      await closed(page);
      assert.equal(await direct('poem'), 'roses\nviolets\n');
    },

    async 'the real claude: a copy from a prompt on'(page) {
      await choose(page, 0, 'Fork from here');
      await moved(page, place);
      await shows(page, 'It is written.');
      await phase(page, 'idle');
      assert.deepEqual(await prompts(page), ['Write the poem']);
      await prompt(page, 'Hello');
      await said(page, 'Yes.', 1);
      await page.goto(server + place);
      await shows(page, 'It is changed.');
      assert.deepEqual(await prompts(page), ['Write the poem', 'Change the poem']);
    },

    async 'the real claude: a prompt is edited and sent again'(page) {
      await page.type('#prompt', 'My draft');
      await choose(page, 1, 'Edit and resend');
      await page.waitForFunction(() => document.getElementById('prompt').value === 'Change the poem', { polling: 50 });
      await shows(page, 'You edit an earlier prompt.');
      await look(page, 'editing');
      await press(page, 'Do not edit');
      assert.equal(await value(page), 'My draft');
      await lacks(page, 'You edit an earlier prompt.');
      await choose(page, 1, 'Edit and resend');
      await page.waitForFunction(() => document.getElementById('prompt').value === 'Change the poem', { polling: 50 });
      // A reload does not turn it into an ordinary prompt.
      await page.reload();
      await phase(page, 'idle');
      await shows(page, 'You edit an earlier prompt.');
      await page.$eval('#prompt', (it) => it.select());
      await page.type('#prompt', 'Something else');
      await press(page, 'Send');
      await moved(page, place);
      await said(page, 'Yes.', 1);
      assert.deepEqual(await prompts(page), ['Write the poem', 'Something else']);
      await page.goto(server + place);
      await shows(page, 'It is changed.');
      assert.deepEqual(await prompts(page), ['Write the poem', 'Change the poem']);
      assert.equal(await value(page), 'My draft');
      // Before the first prompt there is nothing: it begins a session.
      await choose(page, 0, 'Edit and resend');
      await page.waitForFunction(() => document.getElementById('prompt').value === 'Write the poem', { polling: 50 });
      await page.type('#prompt', ' Hello again');
      await press(page, 'Send');
      await moved(page, place);
      await press(page, 'Allow once');
      await said(page, 'It is written.', 1);
      assert.deepEqual(await prompts(page), ['Write the poem Hello again']);
    },

    async 'the real claude: a prompt is edited, and its files come along'(page) {
      place = await begin(page, 'real');
      await attach(page, 'dot.png', 'image/png', PNG);
      await attach(page, 'clock.rs', '', btoa('fn main() {}'));
      const files = (count) => page.waitForFunction((count) => document.querySelectorAll('#pictures figure').length === count, { polling: 50 }, count);
      await files(2);
      await prompt(page, 'Hello');
      await said(page, 'Yes.', 1);
      await attach(page, 'draft.txt', 'text/plain', btoa('A draft'));
      await files(1);
      await choose(page, 0, 'Edit and resend');
      await files(2);
      await look(page, 'editing-files');
      await press(page, 'Do not edit');
      await files(1);
      assert.match(await textOf(page, '#pictures'), /draft\.txt/);
      await choose(page, 0, 'Edit and resend');
      await files(2);
      await page.reload();
      await phase(page, 'idle');
      await files(2);
      await page.type('#prompt', ' again');
      await press(page, 'Send');
      await moved(page, place);
      await said(page, 'Yes.', 1);
      assert.deepEqual(await prompts(page), ['Hello again']);
      await page.waitForSelector('#log img');
      const asked = JSON.parse(await direct('asked-of', 'Hello again')).messages.flatMap((it) => it.content);
      const [image] = asked.filter((it) => it.type === 'image');
      const [document] = asked.filter((it) => it.type === 'document');
      assert.equal(image.source.data, PNG);
      assert.deepEqual([document.title, document.source.data], ['clock.rs', 'fn main() {}']);
    },

    async 'the real claude: a prompt that waits is taken back'(page) {
      await begin(page, 'real');
      await prompt(page, 'Slowly, please');
      await shows(page, 'This');
      await prompt(page, 'Not this one', 'Add');
      await waiting(page, 1);
      await page.select('#priority', 'later');
      await prompt(page, 'This one', 'Add');
      await waiting(page, 2);
      await press(page, 'Take back');
      await waiting(page, 1);
      assert.deepEqual(await prompts(page), ['Slowly, please', 'This one']);
      await direct('open', 'slowly');
      await said(page, 'Yes.', 1);
      await waiting(page, 0);
      assert.equal(await page.$eval('#trouble', (it) => it.hidden), true, await textOf(page, 'body'));
      assert.equal(await direct('asked-of', 'Not this one'), null);
      // Nor is it there when the session is read from disk.
      await page.evaluate(() => fetch(`/api/sessions/${document.body.dataset.session}/close`, { method: 'POST', headers: { 'x-claw-key': localStorage.getItem('claw.key') } }));
      await page.reload();
      await shows(page, 'Yes.');
      assert.deepEqual(await prompts(page), ['Slowly, please', 'This one']);
      await settled(page);
    },
  };
}
