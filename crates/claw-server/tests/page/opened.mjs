// A navigation gets a page that fetches its contents with the key of the pages.

/**
 * Has a page of the browser count as loaded when its contents are there. `goto` and `reload` then give the last response that
 * the address had.
 */
export function opened(page) {
  for (const name of ['goto', 'reload', 'goBack', 'waitForNavigation']) {
    const real = page[name].bind(page);
    page[name] = async (...given) => {
      let last = null;
      const note = (answer) => { if (answer.url() === page.url().replace(/#.*/, '')) last = answer; };
      page.on('response', note);
      const answer = await real(...given);
      const isThere = () => document.readyState === 'complete' && !document.querySelector('#main[aria-busy=true]');
      await page.waitForFunction(isThere, { polling: 50 });
      page.off('response', note);
      return last ?? answer;
    };
  }
  return page;
}
