// The limits of the login in the header and on the page of the usage, and what a turn costs.
import assert from 'node:assert/strict';

export function steps({ server, begin, direct, look, open, phase, prompt, said, textOf }) {
  const header = (page, pattern) => page.waitForFunction((source) => {
    const link = document.getElementById('limits');
    return !link.hidden && new RegExp(source).test(link.innerText.replaceAll(/\s+/g, ' '));
  }, { polling: 50 }, pattern.source);
  const level = (page) => page.$eval('#limits', (it) => it.dataset.level);
  let list = null; // The list of sessions, in another window.
  let place = null;

  return {
    async 'no limits are shown before a session has reported some'(page) {
      list = await open('/', { width: 1280 });
      await list.waitForFunction(() => document.getElementById('list').ariaBusy === 'false', { polling: 50 });
      assert.equal(await list.$eval('#limits', (it) => it.checkVisibility()), false);
      await page.goto(`${server}/usage`);
      await page.waitForFunction(() => document.getElementById('seen').textContent.startsWith('No session has reported'), { polling: 50 });
      assert.equal(await page.$$eval('meter', (all) => all.length), 0);
      await look(page, 'usage-nothing');
    },

    async 'while a turn runs its tokens are shown, and its cost as an estimate'(page) {
      place = await begin(page, 'usage');
      assert.equal(await textOf(page, '#turn'), '');
      await prompt(page, 'How many files?');
      await page.waitForFunction(() => document.getElementById('turn').textContent.includes('12 out'), { polling: 50 });
      await phase(page, 'running');
      assert.match(await page.$eval('#turn', (it) => it.textContent), /^this turn: 10 in, 12 out, less than \$0\.01$/);
      assert.match(await textOf(page, '#cost'), /^in all less than \$0\.01$/);
      await header(page, /^5 h 42 % · week 13 %$/);
      assert.equal(await level(page), '');
      await look(page, 'usage-running');
    },

    async 'after the turn the figures are those of the CLI'(page) {
      await direct('open', 'counted');
      await said(page, 'There are two.', 1);
      assert.match(await page.$eval('#turn', (it) => it.textContent), /^last turn: 20 in, 24 out, less than \$0\.01$/);
      assert.equal(await textOf(page, '#cost'), 'in all less than $0.01');
      await look(page, 'usage-over');
    },

    async 'every page says that a limit is near, and until when'(page) {
      await header(list, /^5 h 42 % · week 13 %$/);
      await prompt(page, 'And now?');
      await said(page, 'Nearly.', 1);
      for (const it of [page, list]) {
        await header(it, /^5 h 93 % until .+ · week 13 %$/);
        assert.equal(await level(it), 'warning');
      }
      assert.match(await list.$eval('#limits', (it) => it.title), /^Five hours: 93 % used, resets .+\. Week: 13 % used, resets .+\. As of .+\.$/);
      await look(page, 'usage-warning');
      await list.reload();
      await header(list, /^5 h 93 %/);
      await list.waitForSelector('#list li');
      assert.match(await textOf(list, '#list li'), /less than \$0\.01/);
      await look(list, 'usage-list');
    },

    async 'the header leads to all limits, and Back to the conversation'(page) {
      await page.bringToFront();
      await page.focus('#limits');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => location.pathname === '/usage' && document.querySelectorAll('meter').length === 3, { polling: 50 });
      assert.match(await textOf(page, '#windows'), /Five hours\s+93 % used\s+resets .+\s+Week\s+13 % used\s+resets .+\s+Week, Opus models\s+7 % used/);
      await page.goBack();
      await header(page, /^5 h 93 %/);
      assert.equal(new URL(page.url()).pathname, place);
      await prompt(page, 'Go on');
      await said(page, 'Not any more.', 1);
      await header(page, /^5 h 100 % until/);
      assert.equal(await level(page), 'bad');
      await look(page, 'usage-full');
      await page.goto(`${server}/usage`);
      await page.waitForSelector('meter');
      await look(page, 'usage-limits');
    },

    async 'the page has tables of what was used, of the days that are asked for'(page) {
      await direct('transcripts');
      const deadline = Date.now() + 20_000;
      do {
        await page.goto(`${server}/usage?since=2026-11-01&until=2026-11-30`);
      } while (!(await textOf(page, 'main')).includes('Count the apples') && Date.now() < deadline);
      assert.equal(await page.$$eval('svg.chart rect', (all) => all.length), 12);
      const text = await textOf(page, 'main');
      for (const part of ['2026-11-23', '2026-W48', 'claude-opus-5-5', 'Mend the clock', 'not known', 'about $', 'No prices are known of']) {
        assert.ok(text.includes(part), `${part}: ${text}`);
      }
      await look(page, 'usage-tables');
      // Enter in a field shows other days.
      await page.$eval('input[name=since]', (it) => { it.value = '2026-11-23'; it.focus(); });
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      assert.match(page.url(), /since=2026-11-23&until=2026-11-30$/);
      assert.equal(await page.$$eval('svg.chart rect', (all) => all.length), 1);
      const csv = await page.$$eval('.figures > a', (all) => all.map((it) => it.getAttribute('href')));
      assert.equal(csv[0], '/api/usage?by=day&since=2026-11-23&until=2026-11-30&format=csv');
      // The link is followed with the key.
      const saved = page.evaluate(() => new Promise((done) => {
        let text = null;
        const real = URL.createObjectURL;
        URL.createObjectURL = (blob) => { text = blob.text(); return real.call(URL, blob); };
        HTMLAnchorElement.prototype.click = async function () { done([this.download, await text]); };
      }));
      await page.click('.figures > a');
      const [name, table] = await saved;
      assert.equal(name, 'usage.csv');
      assert.match(table, /^day,answers,.+\r\n2026-11-23,2,/);
    },
  };
}
