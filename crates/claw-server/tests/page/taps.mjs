// The taps that a person on a phone needs for what is done most often. The browser counts them. Enter in a form is no tap.
import assert from 'node:assert/strict';

export function steps({ server, begin, decision, open, phase, prompt, shows, tap }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const asked = (page, place) => page.waitForSelector(`${place} form:not([data-settling])`);
  let phone = null;
  let place = null;

  /** Does something from an address on, and checks how many taps it took. */
  async function counts(name, where, most, act) {
    await phone.goto(server + where);
    await phone.evaluate(() => { sessionStorage.taps = 0; });
    const start = Date.now();
    await act();
    const taps = await phone.evaluate(() => Number(sessionStorage.taps));
    console.log(`taps: ${name}: ${taps} of ${most}, ${Date.now() - start} ms`);
    assert.ok(taps > 0 && taps <= most, `${name}: ${taps} taps`);
  }
  const tapOn = async (selector) => tap(await phone.waitForSelector(selector, { visible: true }));

  return {
    async 'a session is begun in three taps'() {
      phone = await open('/');
      await phone.evaluateOnNewDocument(() => addEventListener('click', (event) => {
        if (event.isTrusted && event.detail) sessionStorage.taps = Number(sessionStorage.taps ?? 0) + 1;
      }, true));
      await counts('begin a session', '/', 3, async () => {
        await tapOn('#begin > summary');
        await phone.select('#start select[name=project]', 'named');
        await tapOn('::-p-xpath(//button[normalize-space(.)="Start"])');
        await phase(phone, 'idle');
        // The field has the keyboard without a tap.
        await until(phone, () => document.activeElement.id === 'prompt');
        await phone.keyboard.type('Change it');
        await tapOn('#send');
        await phone.waitForSelector('#requests form');
      });
      place = new URL(phone.url()).pathname;
    },

    async 'a request is allowed in one tap'() {
      await counts('allow', place, 1, async () => {
        await asked(phone, '#requests');
        await tapOn('#requests button[value=allow]');
        await phase(phone, 'idle');
      });
    },

    async 'the list allows in one tap, and always in one tap too'(page) {
      const its = await begin(page, 'always');
      await prompt(page, 'Install');
      await asked(page, '#requests');
      await counts('allow from the list', '/', 1, async () => {
        await asked(phone, '#asking');
        // It leaves half of the screen to the rest, and its button is seen.
        const isSeen = await phone.evaluate(() => {
          const [edge, button] = ['#asking', '#asking button[value=allow]'].map((it) => document.querySelector(it).getBoundingClientRect());
          return edge.height <= innerHeight / 2 && button.bottom <= edge.bottom;
        });
        assert.ok(isSeen);
        await tapOn('#asking button[value=allow]');
        await until(phone, () => document.getElementById('asking').hidden);
      });
      assert.equal((await decision('always')).behavior, 'allow');
      await phase(page, 'idle');
      await prompt(page, 'Install again');
      await asked(page, '#requests');
      await counts('always allow', its, 1, async () => {
        await asked(phone, '#requests');
        await tapOn('#requests button[value=allowAlways]');
        await phase(phone, 'idle');
      });
      assert.equal((await decision('always')).updatedPermissions.length, 1);
    },

    async 'the changes of a session are seen in one tap'() {
      await counts('see what changed', place, 1, async () => {
        await tapOn('#changes');
        await shows(phone, 'The tools of this session have changed no file.');
      });
    },

    async 'an old session is found in two taps'() {
      await counts('find an old session', '/', 2, async () => {
        await tapOn('#query');
        await phone.keyboard.type('Change it');
        await phone.keyboard.press('Enter');
        // The list of all sessions has it, too.
        await phone.waitForFunction(() => new URLSearchParams(location.search).get('q') === 'Change it' && document.readyState === 'complete');
        await shows(phone, 'Change it');
        await tapOn('#list a, .hits a');
        await phone.waitForSelector('#log');
      });
      await phone.browserContext().close();
    },
  };
}
