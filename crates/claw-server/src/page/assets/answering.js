// What sessions ask, answered in the list of all sessions.
import { call, make, said } from './common.js';
import { requests } from './requests.js';

/**
 * Gives what puts a button on a row of a session that asks. It unfolds what is asked, as the page of the session shows it.
 * When all of it is answered, the next session that asks is unfolded. The first one is unfolded by itself if it has a process:
 * reading the request of another one starts it.
 */
export function answering() {
  let isByHand = false; // Whether the person has folded or unfolded one. Then no other is unfolded by itself.
  function open(item, button, className = 'unfolded') {
    const id = encodeURIComponent(item.dataset.session);
    const rows = item.parentElement.children; // Also once this one has gone.
    const place = make('div', { className: 'requests' });
    const trouble = make('p', { className: 'note bad', role: 'alert', hidden: true });
    item.append(make('div', { className }, place, trouble));
    button.ariaExpanded = 'true';
    const asked = requests(place, `/api/sessions/${id}`, { before: () => false, after: () => {}, done: () => update(true) });
    async function update(isAnswered) {
      try {
        const all = await call('GET', `/s/${id}/requests`);
        asked.reset(all);
        if (all.length) return;
        const others = [...rows].filter((it) => it !== item);
        close(item, button);
        const next = isAnswered && others.map((it) => it.querySelector('.answer')).find(Boolean);
        if (!next) return;
        if (next.ariaExpanded !== 'true') open(next.closest('li'), next);
        next.focus();
      } catch (error) {
        trouble.textContent = said(error);
        trouble.hidden = false;
      }
    }
    update(false);
  }

  function close(item, button) {
    item.querySelector('.unfolded')?.remove();
    button.ariaExpanded = 'false';
  }

  return (item, hasProcess) => {
    const button = make('button', { type: 'button', className: 'answer', textContent: 'Answer', ariaExpanded: 'false' });
    button.ariaLabel = `Answer ${item.querySelector('strong').textContent}`;
    button.addEventListener('click', () => {
      isByHand = true;
      if (button.ariaExpanded === 'true') close(item, button); else open(item, button);
    });
    item.querySelector('a').after(button);
    if (hasProcess && !isByHand && !item.parentElement.querySelector('.unfolded')) open(item, button, 'unfolded first');
  };
}
