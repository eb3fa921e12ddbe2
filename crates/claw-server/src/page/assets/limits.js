// The usage limits of the login: in short in the header of each page, and whole on the page of the usage.
import { at, call, make } from './common.js';

const names = {
  five_hour: ['5 h', 'Five hours'], seven_day: ['week', 'Week'],
  seven_day_opus: ['week, Opus', 'Week, Opus models'], seven_day_sonnet: ['week, Sonnet', 'Week, Sonnet models'],
  seven_day_overage_included: ['week, with extra', 'Week, with extra usage'], overage: ['extra', 'Extra usage'],
};

/** The name of a limit: a short one, and one that stands alone. */
function nameOf(kind) {
  const words = kind.replaceAll('_', ' ');
  return names[kind] ?? [words, words];
}

/** A moment in the time zone of the browser: the time, with the day if it is not today. */
export function moment(millis) {
  const then = new Date(millis);
  const time = then.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  if (then.toDateString() === new Date().toDateString()) return time;
  return `${then.toLocaleDateString([], { weekday: 'short', day: 'numeric', month: 'short' })}, ${time}`;
}

/** How near a limit is: `''`, `warning` or `bad`. */
function levelOf({ status, used }) {
  if (status === 'rejected' || used >= 100) return 'bad';
  return status === 'allowed_warning' || used >= 80 ? 'warning' : '';
}

const percent = (used) => `${Math.round(used)} %`;
let known = null; // The newest report.
const places = []; // Who draws it.

function draw() {
  if (!known) return;
  // What was reset since the report is not known any more.
  const windows = known.windows.filter((it) => it.resets == null || it.resets > Date.now());
  places.forEach((place) => place({ ...known, windows }));
}

/** Takes a report. */
export function limits(report) {
  known = report;
  draw();
}

/** The header: two windows, with the reset of one that is nearly used up. */
function inHeader({ windows, seen }) {
  const link = at('limits');
  if (!link) return; // The page that shows all of them.
  const shown = windows.filter((it) => it.used != null).slice(0, 2);
  link.hidden = !shown.length;
  const levels = shown.map(levelOf);
  link.dataset.level = levels.includes('bad') ? 'bad' : levels.includes('warning') ? 'warning' : '';
  link.textContent = shown.map((it) => {
    const until = levelOf(it) && it.resets != null ? ` until ${moment(it.resets)}` : '';
    return `${nameOf(it.kind)[0]} ${percent(it.used)}${until}`;
  }).join(' · ');
  const whole = shown.map((it) => `${nameOf(it.kind)[1]}: ${percent(it.used)} used${it.resets == null ? '' : `, resets ${moment(it.resets)}`}`);
  link.title = `${whole.join('. ')}. As of ${moment(seen)}.`;
}

/** The page of the usage: all windows. */
function whole({ windows, seen, isOverage }) {
  const place = at('windows');
  place.replaceChildren(...windows.map((it) => {
    const name = nameOf(it.kind)[1];
    const used = it.used == null ? 'use not reported' : `${percent(it.used)} used`;
    const row = make('div', { className: 'limit' }, make('strong', { textContent: name }), make('span', { textContent: used }),
      make('small', { textContent: it.resets == null ? '' : `resets ${moment(it.resets)}` }));
    if (it.used != null) {
      row.append(make('meter', { max: 100, low: 80, high: 99.5, optimum: 0, value: Math.min(it.used, 100), ariaLabel: `${name}: ${used}` }));
    }
    row.dataset.level = levelOf(it);
    return row;
  }));
  const extra = isOverage ? ' The newest request was paid beyond the subscription.' : '';
  at('seen').textContent = seen == null
    ? 'No session has reported limits yet. Claude Code reports them for subscriptions, with each answer of the API.'
    : `As a session reported ${moment(seen)}.${extra}`;
}

/** Draws the limits whole, in the elements `windows` and `seen` of this page. */
export async function showWhole() {
  places.push(whole);
  limits(await call('GET', '/api/limits'));
}

places.push(inHeader);
// A window may be reset while the page is open.
setInterval(draw, 60_000);
