// What the session asks: permission, questions, a plan.
import { announce, call, make, Refused, said } from './common.js';

/** How a decision is named. */
const DECISIONS = { allow: 'allowed', allowForSession: 'allowed', allowAlways: 'always allowed', deny: 'denied' };

export function requests(place, api) {
  const byId = new Map();

  /** Shows a request, whose HTML the server has made. */
  function add({ id, html }) {
    if (byId.has(id)) return;
    const template = document.createElement('template');
    template.innerHTML = html;
    const form = template.content.firstElementChild;
    byId.set(id, form);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      answer(id, form, event.submitter?.value ?? 'allow');
    });
    place.append(form);
    announce(form.querySelector('h2')?.textContent ?? 'The session asks.');
    form.scrollIntoView({ block: 'end' });
  }

  function remove(id) {
    byId.get(id)?.remove();
    byId.delete(id);
  }

  async function answer(id, form, decision) {
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
      trouble.textContent = said(error);
      trouble.hidden = false;
      buttons.forEach((it) => { it.disabled = false; });
    }
  }

  /** Says what became of a request, in its place, for a while. */
  function told(id, text) {
    const form = byId.get(id);
    if (!form) return;
    byId.delete(id);
    const note = make('p', { className: 'note', textContent: text });
    form.replaceWith(note);
    announce(text);
    setTimeout(() => note.remove(), 15_000);
  }

  function answered({ id, decision, by }) {
    // The response to one's own answer says whether it counts.
    if (!byId.has(id) || 'isAnswering' in byId.get(id).dataset) return;
    const title = byId.get(id).querySelector('h2')?.textContent ?? '';
    const how = { withdrawn: 'withdrawn', timeout: 'denied: nobody answered in time' }[by]
      ?? `${DECISIONS[decision] ?? 'answered'} by ${by || 'another viewer'}`;
    told(id, `${title}: ${how}`);
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
