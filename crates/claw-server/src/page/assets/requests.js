// What the session asks: permission, questions, a plan, a form.
import { announce, call, isComposing, make, Refused, said } from './common.js';
import { point, prepare, valuesOf } from './forms.js';

/** How a decision is named. */
const DECISIONS = {
  allow: 'allowed', allowForSession: 'allowed', allowAlways: 'always allowed', deny: 'denied',
  accept: 'accepted', decline: 'declined', cancel: 'cancelled',
};
/** The decisions by which something is allowed or given. */
const CONSENT = ['allow', 'allowForSession', 'allowAlways', 'accept'];

/**
 * Shows what is asked in this place. `before` is called before a request comes, `after` with its result when one has come
 * or gone.
 */
export function requests(place, api, { before, after }) {
  const byId = new Map();
  // Headings that were on the screen, and long texts that were read to their ends.
  const seen = new WeakSet();
  const watch = new IntersectionObserver((all) => {
    for (const { isIntersecting, target } of all) if (isIntersecting) seen.add(target);
  });
  place.addEventListener('scroll', ({ target }) => { if (isAtEnd(target)) seen.add(target); }, { capture: true, passive: true });

  /** The first part of a request that nobody can have read. */
  function unread(form) {
    const isRead = (it) => (it.matches('details') ? it.open : it.matches('pre') && isAtEnd(it));
    return [...form.querySelectorAll('h2, pre, details.rest')]
      .find((it) => !seen.has(it) && !isRead(it) && (it.matches('details') || it.checkVisibility()));
  }

  /** Shows a part that nobody has read. Whoever does not see it at all can go on from here. */
  function show(part) {
    seen.add(part);
    if (part.matches('details')) part.open = true;
    part.scrollIntoView({ block: 'center' });
    (part.querySelector('pre') ?? part).focus();
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
    watch.observe(form.querySelector('h2'));
    // A browser submits a form when somebody presses Enter in a field. That is no answer.
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('keydown', (event) => entered(event, id, form));
    form.addEventListener('change', () => offer(form));
    form.addEventListener('click', (event) => {
      const button = event.target.closest('.answers button, .answers a');
      // The second click of a double click may have come to a request that nobody has read.
      if (!button || event.detail > 1) return;
      const decision = button.value ?? 'accept';
      // A click without a pointer is a key.
      const part = event.detail === 0 && CONSENT.includes(decision) ? unread(form) : null;
      if (part) {
        event.preventDefault();
        show(part);
      } else answer(id, form, decision, button.dataset.mode);
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
      if (target.value.trim()) answer(id, form, 'deny');
      return;
    }
    const fields = [...form.querySelectorAll('fieldset[data-question], .field')];
    const at = fields.indexOf(target.closest('fieldset[data-question], .field'));
    if (at < 0) return;
    const next = fields[at + 1]?.querySelector('input:checked, input, select, textarea');
    (next ?? form.querySelector('.answers button, .answers a'))?.focus();
  }

  /** Always is what is ticked. */
  function offer(form) {
    const always = form.querySelector('button[value=allowAlways]');
    if (always) always.disabled = !form.querySelector('input[name=suggestion]:checked');
  }

  function remove(id) {
    byId.get(id)?.remove();
    byId.delete(id);
    after(false);
  }

  async function answer(id, form, decision, mode) {
    if ('isAnswering' in form.dataset) return;
    const buttons = form.querySelectorAll('button');
    buttons.forEach((it) => { it.disabled = true; });
    const trouble = form.querySelector('.trouble');
    form.dataset.isAnswering = '';
    try {
      await call('POST', `${api}/requests/${encodeURIComponent(id)}`, answerOf(form, decision, mode));
      remove(id);
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
      offer(form);
      const fields = error.error?.fields ?? [];
      if (fields.length) trouble.textContent = 'Some of the values are not accepted. They are marked above.';
      point(form, fields);
    }
  }

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

  return { add, answered, reset };
}

/** Whether a text that scrolls was scrolled to its end, or has nothing to scroll. */
const isAtEnd = (it) => it.scrollTop + it.clientHeight >= it.scrollHeight - 4;

/** The answer that a form holds. */
function answerOf(form, decision, mode) {
  const answer = { decision };
  if (decision === 'accept' && form.querySelector('.field')) answer.content = valuesOf(form);
  if (mode) answer.mode = mode;
  const message = form.querySelector('input[name=message]')?.value.trim();
  if (message && decision === 'deny') answer.message = message;
  const chosen = [...form.querySelectorAll('input[name=suggestion]:checked')].map((it) => Number(it.value));
  if (decision === 'allowAlways') answer.suggestions = chosen;
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
