// The cards of sub-agents and tasks: side by side, for a late viewer, stopped, after the turn, many, and of the real CLI.
import assert from 'node:assert/strict';

export function steps({ server, begin, direct, look, open, phase, press, prompt, received, shows, tap }) {
  const header = (page, text) => page.waitForFunction((text) => document.getElementById('phase').textContent === text, { polling: 50 }, text);
  const card = (name) => `::-p-xpath(//section[@data-state][.//*[@class="head" and contains(., "${name}")]])`;
  const state = (page, name, wanted) => page.waitForFunction((name, wanted) => [...document.querySelectorAll('section[data-state]')]
    .some((it) => it.querySelector('.head').textContent === name && it.dataset.state === wanted), { polling: 50 }, name, wanted);
  const inCard = async (page, name) => (await page.$(card(name))).$eval('.transcript > .elements', (it) => it.innerText);
  const unfold = async (page, name) => tap(await (await page.$(card(name))).$('.transcript > summary'));
  const transcript = (page, name, text) => page.waitForFunction((name, text) => [...document.querySelectorAll('section.subagent')]
    .some((it) => it.querySelector('.head').textContent === name && it.querySelector('.transcript > .elements').innerText.includes(text)), { polling: 50 }, name, text);
  const noneOutside = async (page) => assert.equal(await page.$$eval('#log > .sub', (all) => all.length), 0);
  const stop = (page, session, task) => page.evaluate(async (session, task) => {
    const answer = await fetch(`/api/sessions/${session}/tasks/${task}/stop`, { method: 'POST', headers: { 'x-claw-key': localStorage.getItem('claw.key') } });
    return { status: answer.status, ...await answer.json() };
  }, session, task);
  let place = null;
  let late = null;

  return {
    async 'two agents and a command work side by side, each in its card'(page) {
      place = await begin(page, 'agents');
      await prompt(page, 'Search both sides');
      await header(page, 'Working, 2 agents work, 1 task runs');
      await noneOutside(page);
      assert.equal((await page.$$('section[data-state=running]')).length, 3);
      await unfold(page, 'Search the left');
      await transcript(page, 'Search the left', 'Left two.');
      assert.match(await inCard(page, 'Search the left'), /^\S?\s*Left one\.\s+\S?\s*Left two\.$/);
      assert.equal(await inCard(page, 'Search the right'), '');
      const text = await (await page.$(card('Search the left'))).evaluate((it) => it.innerText);
      assert.match(text, /Explore, running, Reading <b>left<\/b>\.rs, 2 tool uses, 1234 tokens/);
      // The scripted agent has a clock that stands still.
      assert.match(text, /\d+ h \d+ min\s+Stop agent/);
      await look(page, 'agents');
    },

    async 'a late viewer sees the same'() {
      late = await open(place, { width: 1280 });
      await header(late, 'Working, 2 agents work, 1 task runs');
      await noneOutside(late);
      await unfold(late, 'Search the right');
      await transcript(late, 'Search the right', 'Right one.');
      assert.doesNotMatch(await inCard(late, 'Search the right'), /Left/);
    },

    async 'a request says which agent asks'(page) {
      await direct('open', 'agents-ask');
      await shows(page, 'The agent “Search the right” asks.');
      await look(page, 'agent-asks');
      await press(page, 'Deny');
      await page.waitForFunction(() => !document.querySelector('#requests > form'), { polling: 50 });
    },

    async 'one agent is stopped, and the other goes on'(page) {
      await tap(await (await page.$(card('Search the right'))).$('.acts button'));
      while (!(await received('control_request', 'stop_task', 'agents')).length) await new Promise((done) => { setTimeout(done, 50); });
      assert.equal((await received('control_request', 'stop_task', 'agents'))[0].request.task_id, 'k2');
      await direct('open', 'agents-stopped');
      for (const it of [page, late]) {
        await state(it, 'Search the right', 'stopped');
        await header(it, 'Working, 1 agent works, 1 task runs');
      }
      // What was unfolded stays so, and goes on.
      await transcript(page, 'Search the left', 'Left three.');
      const again = await stop(page, place.split('/').at(-1), 'k2');
      assert.deepEqual(again, { status: 200, stopped: false });
      assert.equal((await received('control_request', 'stop_task', 'agents')).length, 1);
    },

    async 'a command goes on after the turn'(page) {
      await direct('open', 'agents-done');
      await shows(page, 'Both were searched.');
      await header(page, '1 task runs');
      await state(page, 'Search the left', 'completed');
      assert.match(await (await page.$(card('Search the left'))).evaluate((it) => it.innerText), /2345 tokens, 4\.2 s/);
      await look(page, 'agents-ended');
      await direct('open', 'shell-done');
      await header(page, 'Ready');
      await state(page, 'make all', 'failed');
    },

    async 'who comes after the end sees the same'(page) {
      await page.goto(server + place);
      await header(page, 'Ready');
      await noneOutside(page);
      await unfold(page, 'Search the left');
      await transcript(page, 'Search the left', 'Left three.');
      // What is found in a transcript is shown in it.
      await page.goto(server + place);
      await header(page, 'Ready');
      await tap(await page.$('#find'));
      await page.type('#sought', 'Right one');
      await transcript(page, 'Search the right', 'Right one.');
      await page.keyboard.press('Escape');
    },

    async 'fifty agents and ten thousand elements'(page) {
      await prompt(page, 'Search all parts');
      await header(page, 'Working, 50 agents work');
      await noneOutside(page);
      // The page moves while so much arrives, and its cards may be drawn anew: a click at a place may hit something else.
      await page.waitForFunction((name) => {
        const card = [...document.querySelectorAll('section.subagent')].find((it) => it.querySelector('.head').textContent === name);
        card?.querySelector('.transcript > summary').click();
        return card != null;
      }, { polling: 50 }, 'Part 49');
      await transcript(page, 'Part 49', 'Part 49, line 199.');
      const count = () => page.$$eval('.transcript > .elements > section', (all) => all.length);
      assert.ok(await count() <= 200);
      // Nothing more is said: whoever comes now gets a part of the transcript.
      await page.goto(server + place);
      await header(page, 'Working, 50 agents work');
      await unfold(page, 'Part 49');
      await transcript(page, 'Part 49', 'Part 49, line 199.');
      assert.equal(await count(), 60);
      await tap(await (await page.$(card('Part 49'))).$('.older'));
      await page.waitForFunction(() => document.querySelectorAll('.transcript > .elements > section').length === 120, { polling: 50 });
      assert.ok(await page.evaluate(() => document.getElementsByTagName('*').length) < 3000);
      await direct('open', 'many');
      await header(page, 'Ready');
      await press(page, 'To the newest');
      await shows(page, 'All parts are done.');
      assert.equal(await page.$$eval('section[data-state=running]', (all) => all.length), 0);
    },

    async 'the real claude: two agents side by side'(page) {
      place = await begin(page, 'real');
      await prompt(page, 'Both sides');
      await header(page, 'Working, 2 agents work');
      await noneOutside(page);
      await look(page, 'agents-real');
      await tap(await (await page.$(card('Look right'))).$('.acts button'));
      await state(page, 'Look right', 'stopped');
      await direct('open', 'left-seen');
      await shows(page, 'Both sides are clear.');
      await phase(page, 'idle');
      await header(page, 'Ready');
      await state(page, 'Look left', 'completed');
      await unfold(page, 'Look left');
      await transcript(page, 'Look left', 'Nothing on the left.');
      assert.doesNotMatch(await inCard(page, 'Look left'), /right/);
    },

    async 'the real claude: a command behind, stopped after the turn'(page) {
      await prompt(page, 'Shell behind');
      await press(page, 'Allow once');
      await shows(page, 'It runs behind.');
      await header(page, '1 task runs');
      await tap(await page.$('section.task[data-state=running] .acts button'));
      await page.waitForFunction(() => !document.querySelector('section.task[data-state=running]'), { polling: 50 });
      await header(page, 'Ready');
      await page.evaluate((id) => fetch(`/api/sessions/${id}/close`, { method: 'POST', headers: { 'x-claw-key': localStorage.getItem('claw.key') } }), place.split('/').at(-1));
    },

    async 'the real claude: from disk, the cards are the same'(page) {
      await page.goto(server + place);
      await header(page, 'Ready');
      await noneOutside(page);
      await state(page, 'Look left', 'completed');
      await unfold(page, 'Look left');
      await transcript(page, 'Look left', 'Nothing on the left.');
      assert.equal(await page.$$eval('section[data-state=running]', (all) => all.length), 0);
    },
  };
}
