// What the session asks: permission, questions, a plan.
import { announce, call, isComposing, make, Refused, said } from './common.js';

/** How a decision is named. */
const DECISIONS = { allow: 'allowed', allowForSession: 'allowed', allowAlways: 'always allowed', deny: 'denied' };

/**
 * Shows what is asked in this place. `before` is called before a request comes, `after` with its result when one has come
 * or gone.
 */
export function requests(place, api, { before, after }) {
  const byId = new Map();

  /** Shows a request, whose HTML the server has made. */
  function add({ id, html }) {
    if (byId.has(id)) return;
    const template = document.createElement('template');
    template.innerHTML = html;
    const form = template.content.firstElementChild;
    byId.set(id, form);
    // A browser submits a form when somebody presses Enter in a field. That is no answer.
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('keydown', (event) => entered(event, id, form));
    form.addEventListener('change', () => offer(form));
    form.addEventListener('click', ({ target, detail }) => {
      const button = target.closest('.answers button');
      // The second click of a double click may have come to a request that nobody has read.
      if (button && detail < 2) answer(id, form, button.value);
    });
    const seen = before();
    place.append(form);
    announce(form.querySelector('h2')?.textContent ?? 'The session asks.');
    after(seen, form);
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
    const question = target.closest('fieldset[data-question]');
    const next = question?.nextElementSibling?.querySelector('input') ?? form.querySelector('.answers button');
    if (question) next?.focus();
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

  async function answer(id, form, decision) {
    if ('isAnswering' in form.dataset) return;
    const buttons = form.querySelectorAll('button');
    buttons.forEach((it) => { it.disabled = true; });
    const trouble = form.querySelector('.trouble');
    form.dataset.isAnswering = '';
    try {
      await call('POST', `${api}/requests/${encodeURIComponent(id)}`, answerOf(form, decision));
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
    const title = form.querySelector('h2')?.textContent ?? '';
    const how = { withdrawn: 'withdrawn', timeout: 'denied: nobody answered in time' }[by]
      ?? `${DECISIONS[decision] ?? 'answered'} by ${by || 'another viewer'}`;
    told(id, `${title} — ${how}`);
  }

  function reset(all) {
    const ids = new Set(all.map((it) => it.id));
    for (const id of [...byId.keys()]) if (!ids.has(id)) remove(id);
    all.forEach(add);
  }

  return { add, answered, reset };
}

/** The answer that a form holds. */
function answerOf(form, decision) {
  const answer = { decision };
  const message = form.elements.message?.value.trim();
  if (message) answer.message = message;
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
