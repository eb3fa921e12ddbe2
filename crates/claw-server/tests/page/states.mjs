// What a session is after a server that ended, after a compaction, and at a usage limit.
import assert from 'node:assert/strict';

const COMPACTED = '/s/30000000-0000-4000-8000-000000000001';

export function steps({ server, begin, direct, look, open, phase, press, prompt, received, shows, tap, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const isHidden = (page) => until(page, () => document.getElementById('cut').hidden);
  const sent = async () => (await received('user')).map((it) => it.message.content);
  const places = [];

  return {
    async 'the summary of a compaction is folded'(page) {
      await page.goto(server + COMPACTED);
      await phase(page, 'idle');
      await shows(page, 'And now the pears.');
      assert.doesNotMatch(await textOf(page, '#log'), /The apples were counted/);
      // It is no branch of git.
      assert.equal(await page.$eval('#log details.branch', (it) => getComputedStyle(it, '::before').content), 'none');
      await look(page, 'compacted');
      await tap(await page.$('#log .contextCompaction summary, #log details.branch > summary'));
      await shows(page, 'The apples were counted.');
      await look(page, 'compacted-unfolded');
    },

    async 'after the end of a server, its sessions say what was cut, in the list too'(page) {
      places.push(await begin(page, 'shop'));
      await prompt(page, 'Think');
      await shows(page, 'H');
      await phase(page, 'running');
      places.push(await begin(page, 'shop'));
      await prompt(page, 'Wait');
      await phase(page, 'waiting');
      await direct('restart');
      // Without a reload.
      await shows(page, 'A prompt was not sent to Claude.');
      await look(page, 'cut-unsent');
      await page.goto(`${server}/`);
      await until(page, () => document.querySelectorAll('#asking li').length === 2);
      assert.match(await textOf(page, '#asking'), /was cut off/);
      await look(page, 'cut-list');
    },

    async 'one tap goes on with a turn that was cut off'(page) {
      await page.goto(server + places[0]);
      await shows(page, 'The last turn was cut off before its end.');
      await look(page, 'cut');
      await press(page, 'Go on');
      await shows(page, 'It goes on.');
      await phase(page, 'idle');
      await isHidden(page);
      assert.deepEqual(await sent(), ['You were cut off. Go on.']);
    },

    async 'a prompt that was not sent is sent by one tap, or never, and what one tab does is in the other'(page) {
      const other = await open(places[1], { width: 1280 });
      await shows(other, 'A prompt was not sent to Claude.');
      await page.goto(server + places[1]);
      await press(page, 'Send it');
      await shows(page, 'It goes on.');
      await shows(other, 'It goes on.');
      await isHidden(page);
      await isHidden(other);
      assert.deepEqual(await sent(), ['You were cut off. Go on.', 'Wait']);
      await other.browserContext().close();
    },

    async 'a turn whose claude has ended can go on, and says why it failed'(page) {
      await begin(page, 'mill');
      await prompt(page, 'Grind');
      await shows(page, 'The last turn was cut off before its end.');
      await phase(page, 'idle');
      assert.match(await textOf(page, '#trouble'), /exit status: 3/);
      assert.equal(await textOf(page, '#go-on'), 'Go on');
      await look(page, 'ended');
      // What was sent stays offered until a prompt is answered, also over a reload.
      await page.reload();
      await shows(page, 'The last turn was cut off before its end.');
    },

    async 'a usage limit says until when it waits'(page) {
      await begin(page, 'inn');
      await prompt(page, 'Sleep');
      await phase(page, 'limited');
      assert.match(await textOf(page, '#phase'), /^Waits for the reset of a usage limit until /);
      await look(page, 'limited');
      await press(page, 'Stop');
      await until(page, () => document.getElementById('phase').dataset.phase !== 'limited');
    },
  };
}
