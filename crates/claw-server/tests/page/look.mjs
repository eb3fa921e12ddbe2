// Looks at a state of a page in light and dark, narrow and wide.
import path from 'node:path';

/** What is wrong with what one sees. `isPhone`: somebody taps with a thumb. */
function faults(isPhone) {
  const all = [];
  const name = (it) => `${it.tagName.toLowerCase()}${it.id && `#${it.id}`}${it.className && `.${String(it.className).replaceAll(' ', '.')}`} "${(it.innerText ?? '').slice(0, 30)}"`;
  const tooWide = document.documentElement.scrollWidth - innerWidth;
  if (tooWide > 0) all.push(`the page is ${tooWide} pixels too wide`);
  for (const it of document.querySelectorAll('body *')) {
    if (!it.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || it.closest('.unseen, .skip, svg')) continue;
    const box = it.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const style = getComputedStyle(it);
    // What is for screen readers alone.
    if (style.clipPath !== 'none') continue;
    // What is cut off says so by its dots, or can be scrolled, as the text of a field can.
    const isCut = !it.matches('input') && it.scrollWidth > it.clientWidth + 1 && ['hidden', 'clip'].includes(style.overflowX) && style.textOverflow !== 'ellipsis';
    if (isCut) all.push(`${name(it)} is cut off`);
    const isControl = it.matches('button, .button, select, textarea, summary, input:not([type=checkbox], [type=radio])');
    if (isControl && it.scrollWidth > it.clientWidth + 1 && style.overflowX === 'visible' && style.display !== 'inline') {
      all.push(`${name(it)} is wider than its place`);
    }
    if (it.matches('select') && it.selectedOptions[0]) {
      // As wide as its choice needs.
      const twin = it.cloneNode(false);
      twin.append(it.selectedOptions[0].cloneNode(true));
      Object.assign(twin.style, { position: 'absolute', width: 'max-content', maxWidth: 'none' });
      it.after(twin);
      const width = twin.offsetWidth;
      twin.remove();
      if (width > it.offsetWidth + 1) all.push(`the choice ${it.selectedOptions[0].text} has ${it.offsetWidth} pixels, and needs ${width}`);
    }
    // A label that is tapped chooses as well.
    const target = it.matches('input') ? it.closest('label')?.getBoundingClientRect() ?? box : box;
    const isTapped = it.matches('button, .button, select, textarea, input, [role=option]');
    if (isPhone && isTapped && Math.round(target.height) < 44) all.push(`${name(it)} is ${target.height} pixels high`);
  }
  for (const chart of document.querySelectorAll('svg.chart')) {
    const [edge, texts] = [chart.getBoundingClientRect(), [...chart.querySelectorAll('text')]];
    const boxes = texts.map((it) => ({ text: it.textContent, box: it.getBoundingClientRect() }));
    for (const { text, box } of boxes) if (box.left < edge.left - 1 || box.right > edge.right + 1) all.push(`${text} is cut off in the chart`);
    for (const [n, one] of boxes.entries()) {
      const covers = ({ box }) => box.left < one.box.right && one.box.left < box.right && box.top < one.box.bottom && one.box.top < box.bottom;
      const other = boxes.slice(n + 1).find(covers);
      if (other) all.push(`${one.text} and ${other.text} overlap in the chart`);
    }
  }
  return all;
}

/**
 * What looks. `axe` is the text of axe-core, `failures` gets what is wrong, `size` changes the width of the window, `isPhone`
 * says whether a page is one of a phone, `pictures` is a folder for pictures whose names begin with `begin`.
 */
export function looking({ axe, failures, size, isPhone = () => false, pictures, begin = '' }) {
  return async (page, name) => {
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: scheme }, { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
      // Dark differs in its colours alone, so only those are checked again.
      const isFirst = scheme === 'light';
      for (const width of isFirst || pictures ? [1280, 768, 390] : []) {
        await size(page, width);
        // What is fitted to the window is fitted in the next frame.
        await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))); }));
        for (const fault of await page.evaluate(faults, isPhone(page) && width < 600)) failures.push(`${name} at ${width}: ${fault}`);
        if (pictures) await page.screenshot({ path: path.join(pictures, `${begin}${name}-${scheme}-${width}.png`) });
      }
      // By the protocol: the page's policy has no room for it.
      if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(`${axe}; 0`);
      const { violations } = await page.evaluate(`axe.run(document, ${isFirst ? '{}' : "{ runOnly: ['color-contrast'] }"})`);
      for (const { id, nodes } of violations) {
        failures.push(`${name}, ${scheme}: ${id}: ${nodes.map((it) => it.html).join(' ')}`);
      }
    }
  };
}
