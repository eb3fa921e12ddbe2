// What a session asks: permission, questions, a plan, a form.
import { announce, call, isComposing, make, Refused, said } from './common.js';
import { point, prepare, valuesOf } from './forms.js';

/** How a decision is named. */
const DECISIONS = {
  allow: 'allowed', allowForSession: 'allowed', allowAlways: 'always allowed', deny: 'denied',
  accept: 'accepted', decline: 'declined', cancel: 'cancelled',
};
/** The decisions by which something is allowed or given. */
const CONSENT = ['allow', 'allowForSession', 'allowAlways', 'accept'];

/** The parts of a request that a person reads. */
const PARTS = 'h2, pre, .diff, details';
/** How long a request lies under a finger that has just answered another one, in milliseconds, before it can be allowed. */
const SETTLES = 400;
/** How long after an answer a request counts as one that comes under the same finger. */
const SOON = 1500;
/** The interval between two attempts to send an answer while the page is connected, in milliseconds. */
const INTERVAL = 15_000;
let answeredAt = -Infinity; // When a person has answered one on this page.

/**
 * Shows what is asked in this place. `before` is called before a request comes, `after` with its result when one has come
 * or gone. `done` is called when a person has answered the last request here. With `resends`, an answer that does not reach the
 * server waits until `again` is called.
 */
export function requests(place, api, { before, after, done = () => {}, resends = false }) {
  const byId = new Map();
  // Parts whose ends were on the screen, and what was shown because nobody had read it.
  const seen = new WeakSet();
  const watch = new IntersectionObserver((all) => {
    for (const { isIntersecting, boundingClientRect: { bottom }, rootBounds, target } of all) {
      if (isIntersecting && bottom <= (rootBounds?.bottom ?? innerHeight) + 1) seen.add(target);
    }
  }, { threshold: [0, 0.25, 0.5, 0.75, 1] });
  const read = new WeakSet(); // Long texts that were scrolled to their ends.
  place.addEventListener('scroll', ({ target }) => { if (isAtEnd(target)) read.add(target); }, { capture: true, passive: true });

  /** The first part of a request that nobody can have read. */
  function unread(form) {
    const isRead = (it) => (it.matches('details') ? it.open : seen.has(it) && (!it.matches('pre') || read.has(it) || isAtEnd(it)));
    return [...form.querySelectorAll(PARTS)].find((it) => !shown.has(it) && !isRead(it) && (it.matches('details') || it.checkVisibility()));
  }
  const shown = new WeakSet(); // What the page has led to. Whoever does not see it at all can go on from there.

  /** Lets nobody allow a request that has moved below a finger, until it has been there for a while. */
  function settle(form) {
    form.dataset.settling = '';
    setTimeout(() => { delete form.dataset.settling; }, SETTLES);
  }

  /** The second press on what is wide allows it. The first one says so. */
  function isConfirmed(button, form) {
    if ('armedAt' in button.dataset) return performance.now() - button.dataset.armedAt > SETTLES;
    disarm(form);
    const label = button.querySelector('span');
    button.dataset.armedAt = performance.now();
    label.textContent = `Press again: ${label.textContent}`;
    announce(`${label.textContent}. ${button.querySelector('small').textContent}`);
    return false;
  }

  function disarm(form) {
    for (const button of form.querySelectorAll('[data-armed-at]')) {
      delete button.dataset.armedAt;
      const label = button.querySelector('span');
      label.textContent = label.textContent.replace('Press again: ', '');
    }
  }

  /** Shows a part that nobody has read. */
  function show(part) {
    shown.add(part);
    if (part.matches('details')) part.open = true;
    part.scrollIntoView({ block: 'center' });
    const it = part.querySelector('pre') ?? part.querySelector('summary') ?? part;
    if (it.tabIndex < 0) it.tabIndex = -1;
    it.focus({ preventScroll: true });
    announce('There is more to read before this can be answered by a key.');
  }

  /** Shows a request, whose HTML the server has made. */
  function add({ id, html }) {
    if (byId.has(id)) return;
    const template = document.createElement('template');
    template.innerHTML = html;
    const form = template.content.firstElementChild;
    byId.set(id, form);
    prepare(form);
    form.querySelectorAll(PARTS).forEach((it) => watch.observe(it));
    if (performance.now() - answeredAt < SOON) settle(form);
    // A browser submits a form when somebody presses Enter in a field. That is no answer.
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('keydown', (event) => entered(event, id, form));
    form.addEventListener('focusout', ({ relatedTarget }) => { if (!form.contains(relatedTarget)) disarm(form); });
    form.addEventListener('click', (event) => {
      const button = event.target.closest('.answers button, .answers a');
      // The second click of a double click may have come to a request that nobody has read.
      if (!button || event.detail > 1) return;
      const decision = button.value ?? 'accept';
      const isConsent = CONSENT.includes(decision);
      if (isConsent && 'settling' in form.dataset) { event.preventDefault(); return; }
      // A click without a pointer is a key.
      const part = event.detail === 0 && isConsent ? unread(form) : null;
      if (part) {
        event.preventDefault();
        show(part);
      } else if (!('wide' in button.dataset) || isConfirmed(button, form)) answer(id, form, decision, button);
    });
    const wasAtEnd = before();
    place.append(form);
    announce(form.dataset.title);
    after(wasAtEnd, form);
  }

  /** Enter in a reason denies. In any other field it goes on to the next one, and allows nothing. */
  function entered(event, id, form) {
    const { target } = event;
    if (event.key !== 'Enter') return;
    // A key that is held down presses no button that it has come to.
    if (event.repeat || target.matches('input')) event.preventDefault();
    if (event.repeat || isComposing(event) || !target.matches('input')) return;
    if (target.name === 'message') {
      if (target.value.trim()) answer(id, form, 'deny', null);
      return;
    }
    const fields = [...form.querySelectorAll('fieldset[data-question], .field')];
    const at = fields.indexOf(target.closest('fieldset[data-question], .field'));
    if (at < 0) return;
    const next = fields[at + 1]?.querySelector('input:checked, input, select, textarea');
    (next ?? form.querySelector('.answers button, .answers a'))?.focus();
  }

  function remove(id) {
    byId.get(id)?.remove();
    byId.delete(id);
    after(false);
  }

  async function answer(id, form, decision, button) {
    if ('isAnswering' in form.dataset) return;
    const buttons = form.querySelectorAll('button');
    buttons.forEach((it) => { it.disabled = true; });
    const trouble = form.querySelector('.trouble');
    form.dataset.isAnswering = '';
    form.again = null;
    try {
      await call('POST', `${api}/requests/${encodeURIComponent(id)}`, answerOf(form, decision, button));
      answeredAt = performance.now();
      remove(id);
      byId.forEach(settle);
      if (!byId.size) done();
    } catch (error) {
      if (error instanceof Refused && (error.status === 409 || error.status === 404)) {
        // Somebody else was first.
        const first = error.error?.answered;
        delete form.dataset.isAnswering;
        if (first) answered(first); else told(id, error.message);
        return;
      }
      delete form.dataset.isAnswering;
      // The response alone was lost.
      if (form.answered) { answered(form.answered); return; }
      trouble.textContent = said(error);
      trouble.hidden = false;
      buttons.forEach((it) => { it.disabled = false; });
      if (resends && !(error instanceof Refused)) wait(id, form, decision, button);
      const fields = error.error?.fields ?? [];
      if (fields.length) trouble.textContent = 'Some of the values are not accepted. They are marked above.';
      point(form, fields);
      // What became of the answer is below its buttons, maybe below the screen.
      if (!fields.length) trouble.scrollIntoView({ block: 'nearest' });
    }
  }

  /** Keeps an answer until the server is there again. Another answer takes its place. */
  function wait(id, form, decision, button) {
    const again = () => answer(id, form, decision, button);
    form.again = again;
    // A connection may lose one request and keep the stream.
    setTimeout(() => { if (form.again === again && form.isConnected) again(); }, INTERVAL);
    const name = button?.querySelector('span')?.textContent ?? button?.textContent ?? 'Deny';
    const trouble = form.querySelector('.trouble');
    trouble.replaceChildren(`Not sent yet: ${name.trim()}. It is sent when the server is there again. `, make('button', {
      type: 'button', textContent: 'Take it back', onclick: () => { form.again = null; trouble.hidden = true; },
    }));
  }

  /** Sends the answers that did not reach the server. */
  const again = () => byId.forEach((form) => form.again?.());

  /** Says what became of a request, in its place, for a while. */
  function told(id, text) {
    const form = byId.get(id);
    if (!form) return;
    byId.delete(id);
    const note = make('p', { className: 'note', textContent: text });
    form.replaceWith(note);
    after(false);
    announce(text);
    setTimeout(() => note.remove(), 15_000);
  }

  function answered(event) {
    const { id, decision, by } = event;
    const form = byId.get(id);
    if (!form) return;
    // The response to one's own answer says whether it counts.
    if ('isAnswering' in form.dataset) { form.answered = event; return; }
    const decided = DECISIONS[decision] ?? 'answered';
    const how = { withdrawn: 'withdrawn', timeout: `${decided}: nobody answered in time` }[by]
      ?? `${decided} by ${by || 'another viewer'}`;
    told(id, `${form.dataset.title} — ${how}`);
  }

  function reset(all) {
    const ids = new Set(all.map((it) => it.id));
    for (const id of [...byId.keys()]) if (!ids.has(id)) remove(id);
    all.forEach(add);
  }

  return { add, again, answered, reset };
}

/** Whether a text that scrolls was scrolled to its end, or has nothing to scroll. */
const isAtEnd = (it) => it.scrollTop + it.clientHeight >= it.scrollHeight - 4;

/** The answer that a form holds. */
function answerOf(form, decision, button) {
  const answer = { decision };
  if (decision === 'accept' && form.querySelector('.field')) answer.content = valuesOf(form);
  const { mode, suggestion } = button?.dataset ?? {};
  if (mode) answer.mode = mode;
  const message = form.querySelector('input[name=message]')?.value.trim();
  if (message && decision === 'deny') answer.message = message;
  if (decision === 'allowAlways') answer.suggestions = [Number(suggestion)];
  const questions = [...form.querySelectorAll('fieldset[data-question]')];
  if (questions.length && decision !== 'deny') {
    answer.answers = {};
    for (const question of questions) {
      const checked = [...question.querySelectorAll('input:checked')].map((it) => it.value);
      const other = question.querySelector('input[type=text]').value.trim();
      if (other) checked.push(other);
      answer.answers[question.dataset.question] = checked;
    }
  }
  return answer;
}
