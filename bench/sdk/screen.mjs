// Shows one session in Chromium, and says how late each line is there: SERVER LOGIN SESSION LINES CHROMIUM
//
// Prints "ready" once the page listens, and at the end the delays as JSON, in milliseconds.
import puppeteer from 'puppeteer-core';

const [server, login, session, lines, executablePath] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const page = await browser.newPage();
await page.goto(server + login);
await page.goto(server + session);
// The page says what it knows once its stream is there.
await page.waitForFunction(() => document.body.innerText.includes('when this paragraph'), { polling: 50 });

// What the page counts from, on the clock of the agents: CLOCK_MONOTONIC, in milliseconds.
const protocol = await page.createCDPSession();
await protocol.send('Performance.enable');
const { metrics } = await protocol.send('Performance.getMetrics');
const origin = 1000 * metrics.find(({ name }) => name === 'NavigationStart').value;

await page.evaluate((origin, lines) => {
  const seen = new Set();
  const document_ = [];
  const drawn = [];
  const now = () => origin + performance.now();
  window.measured = new Promise((done) => {
    const look = () => {
      const at = now();
      const fresh = [];
      for (const [, number, time] of document.getElementById('log').textContent.matchAll(/(\d{6})@(\d{19})/g)) {
        if (number === '000000' || seen.has(number)) continue;
        seen.add(number);
        const written = Number(time) / 1e6;
        document_.push(at - written);
        fresh.push(written);
      }
      if (fresh.length === 0) return;
      // A task behind the next frame: then that is drawn.
      requestAnimationFrame(() => setTimeout(() => {
        for (const written of fresh) drawn.push(now() - written);
        if (drawn.length === lines) done({ document: document_, drawn });
      }));
    };
    new MutationObserver(look).observe(document.getElementById('log'), { childList: true, subtree: true, characterData: true });
  });
}, origin, Number(lines));

console.log('ready');
const limit = 1000 * Number(lines) + 60_000;
let timer;
const late = new Promise((_, reject) => {
  timer = setTimeout(() => reject(new Error('the page does not show every line')), limit);
});
const measured = page.evaluate(() => window.measured);
try {
  console.log(JSON.stringify(await Promise.race([measured, late])));
} finally {
  clearTimeout(timer);
  await browser.close();
}
