// What takes room and says nothing is away, and what is empty or wrong says the next step.
import assert from 'node:assert/strict';

export function steps({ server, begin, direct, look, open, phase, prompt, shows, textOf }) {
  const until = (page, test, ...given) => page.waitForFunction(test, { polling: 50 }, ...given);
  const isSeen = (page, selector) => page.$eval(selector, (it) => it.checkVisibility());

  return {
    async 'a phone has no tokens of the turn, no keys, and no line about a turn that is done'(page) {
      await begin(page, 'shop');
      await shows(page, 'Nothing was said yet. Write to Claude below.');
      await prompt(page, 'What is there?');
      await shows(page, 'Apples and pears.');
      await phase(page, 'idle');
      await page.waitForSelector('.turnEnd');
      assert.equal(await isSeen(page, '#turn'), false);
      await page.click('#unfold');
      assert.equal(await isSeen(page, '#show-keys'), false);
      assert.doesNotMatch(await textOf(page, 'body'), /done: 1 turn|\$0\.00\d/);
      // Its mark is in the middle of its line.
      const middles = await page.$eval('.turnEnd', (it) => ['.mark', 'summary'].map((part) => {
        const { top, bottom } = it.querySelector(part).getBoundingClientRect();
        return (top + bottom) / 2;
      }));
      assert.ok(Math.abs(middles[0] - middles[1]) <= 2, `${middles}`);
      await page.click('.turnEnd summary');
      await shows(page, 'done: 1 turn');
      await page.click('.turnEnd summary');
      await look(page, 'tidy');
      assert.match(await textOf(page, '#context'), /^\d+k? context$/);
    },

    async 'what attaches files is away when they are attached, and covers no picture'(page) {
      await page.click('#unfold');
      assert.equal(await page.$eval('#unfold', (it) => it.ariaExpanded), 'true');
      await page.evaluate(async () => {
        // As high as the photos of phones.
        const canvas = new OffscreenCanvas(300, 400);
        canvas.getContext('2d').fillRect(0, 0, 300, 400);
        const data = new DataTransfer();
        data.items.add(new File([await canvas.convertToBlob()], 'photo.png', { type: 'image/png' }));
        document.getElementById('files').files = data.files;
        document.getElementById('files').dispatchEvent(new Event('change'));
      });
      const image = await page.waitForSelector('#pictures img');
      await until(page, () => document.getElementById('unfold').ariaExpanded === 'false');
      assert.ok(await image.evaluate((it) => it.getBoundingClientRect().right <= it.nextElementSibling.getBoundingClientRect().left));
      await look(page, 'picture-attached');
      await page.click('#pictures button');
      await until(page, () => !document.querySelector('#pictures figure'));
    },

    async 'at 400 % zoom the conversation keeps half of the screen'(page) {
      const desk = await open(new URL(page.url()).pathname, { width: 320 });
      await phase(desk, 'idle');
      // A window of 1,280 by 800 pixels at 400 %.
      await desk.setViewport({ width: 320, height: 200 });
      await desk.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const free = () => desk.evaluate(() => {
        const [top, bottom] = [document.querySelector('.top').getBoundingClientRect().bottom, document.getElementById('composer').getBoundingClientRect().top];
        return (bottom - Math.max(0, top)) / innerHeight;
      });
      await desk.waitForFunction(() => scrollY > 0);
      assert.ok(await free() >= 0.5, `${await free()}`);
      await desk.screenshot();
      await desk.browserContext().close();
    },

    async 'a used link, a lost login and an empty list say the next step'() {
      const desk = await open('/', { width: 1280 });
      const link = await direct('login');
      await desk.goto(server + link);
      await desk.goto(server + link);
      await shows(desk, 'This login link was used before');
      await shows(desk, 'claw serve prints one when it starts');
      await look(desk, 'link-used');
      await desk.click('#main a');
      await until(desk, () => location.pathname === '/' && document.querySelector('#list li'));
      await desk.goto(`${server}/?q=nosuchtext`);
      await shows(desk, 'Nothing was found.');
      await look(desk, 'found-nothing');
      await desk.goto(`${server}/`);
      await desk.waitForSelector('#list li');
      // No project, no session, no address: as the server would say it.
      await desk.setRequestInterception(true);
      const answers = (request) => {
        const { pathname } = new URL(request.url());
        const body = { '/api/sessions': { sessions: [], next: null }, '/api/logins': { path: '/login/x', urls: [] } }[pathname];
        return body ? request.respond({ contentType: 'application/json', body: JSON.stringify(body) }) : request.continue();
      };
      desk.on('request', answers);
      await desk.reload();
      await shows(desk, 'There are no sessions yet. Begin one with “New session” above.');
      await desk.click('#device');
      await shows(desk, 'start claw serve with --phone');
      await look(desk, 'empty');
      // As on a server without a project.
      const { identifier } = await desk.evaluateOnNewDocument(() => new MutationObserver(() => {
        document.querySelectorAll('#start select[name=project] > option').forEach((it) => it.remove());
      }).observe(document, { childList: true, subtree: true }));
      await desk.reload();
      await shows(desk, 'This server has no project, so no session can begin. Start claw serve again with --project and a folder.');
      assert.equal(await isSeen(desk, '#begin'), false);
      await look(desk, 'no-project');
      await desk.removeScriptToEvaluateOnNewDocument(identifier);
      desk.off('request', answers);
      await desk.setRequestInterception(false);
      await desk.reload();
      await desk.waitForSelector('#list li');
      await desk.deleteCookie(...await desk.cookies());
      // Nobody does anything: the page says so when its connection is lost.
      await desk.evaluate(() => dispatchEvent(new Event('online')));
      await shows(desk, 'This browser is not logged in any more. Open a new login link');
      await look(desk, 'logged-out');
      await desk.browserContext().close();
    },
  };
}
