// Comments on lines of a diff, as the text of one prompt. Nothing here has state or uses the document.

/** How many comments are collected. */
export const MOST_COMMENTS = 30;
/** How many characters a comment has at most. */
export const LONGEST_COMMENT = 2_000;
/** To how many lines a comment refers at most. */
export const MOST_LINES = 100;
/** How many characters of a line are kept, and how many characters of all lines a comment quotes. */
const LONGEST_LINE = 300;
const LONGEST_QUOTE = 4_000;

/** What would end a quoted line early. */
const BREAKS = /[\n\r\v\f\u0085\u2028\u2029]/g;

/** A text on one line, cut if it is long. */
export function oneLine(text) {
  const line = text.slice(0, LONGEST_LINE + 1).replace(BREAKS, ' ');
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** The numbers of lines, in words. Lines that are in the file now have their present numbers. */
export function placeOf(lines) {
  const present = lines.filter(({ sign }) => sign !== '-');
  const numbers = (present.length ? present : lines).map(({ number }) => number);
  const removed = present.length ? '' : 'removed ';
  if (numbers.includes(null)) return lines.length === 1 ? `a ${removed}line` : `${lines.length} ${removed}lines`;
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  return first === last ? `${removed}line ${first}` : `${removed}lines ${first}–${last}`;
}

/** The lines as a quote of a diff. It is cut if it is long, but has one line at least. */
function quoteOf(lines) {
  const quoted = [];
  let length = 0;
  for (const { sign, text } of lines) {
    const line = `> ${sign}${oneLine(text)}`.trimEnd();
    length += line.length;
    if (quoted.length && length > LONGEST_QUOTE) break;
    quoted.push(line);
  }
  const more = lines.length - quoted.length;
  if (more) quoted.push(`> … (${more} more ${more === 1 ? 'line' : 'lines'})`);
  return quoted.join('\n');
}

/**
 * The prompt for some comments. A comment has a `path`, a `text`, and the `lines` that it refers to: each has a `sign` (`+`, `-`
 * or a space), a `number` (or `null`) and a `text`. The comments of a file stand together, in the order of its lines.
 */
export function promptOf(comments) {
  const paths = [...new Set(comments.map(({ path }) => path))];
  const rank = ({ path, lines }) => [paths.indexOf(path), lines[0].number ?? 0];
  const ordered = comments.toSorted((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    return a[0] - b[0] || a[1] - b[1];
  });
  const count = comments.length === 1 ? 'A comment' : `${comments.length} comments`;
  const head = `${count} on lines of the changes. In the quotes, + is an added line and - a removed one.`;
  const all = ordered.map(({ path, lines, text }, n) => (
    `${n + 1}. ${oneLine(path)}, ${placeOf(lines)}:\n${quoteOf(lines)}\n\n${text.trim()}`));
  return [head, ...all].join('\n\n');
}
