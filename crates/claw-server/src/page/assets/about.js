// What a person can change of a session: its title, its tag, and whether it is archived. A session can also be deleted.
import { announce, call, make, may, said } from './common.js';

/** Whether the server has the session open. One that was cut off waits for a person, and has no process. */
const isLive = ({ phase }) => Boolean(phase) && phase !== 'cut';

/**
 * Makes the dialog. Gives a function that opens it for a session, or `null` if the person may change nothing there. `left` is called
 * when the session was deleted.
 */
export function about(left = () => {}) {
  const changes = may('changeSession');
  if (!changes && !may('deleteSession')) return null;
  const field = (name, more) => make('input', { type: 'text', name, autocomplete: 'off', enterKeyHint: 'done', ...more });
  const title = field('title', { maxLength: 200 });
  const tag = field('tag', { maxLength: 60 });
  const archived = make('input', { type: 'checkbox', name: 'archived' });
  const trouble = make('p', { className: 'note bad', role: 'alert', hidden: true });
  const cancel = make('button', { type: 'button', textContent: 'Cancel', onclick: () => dialog.close() });
  const save = make('button', { className: 'strong', textContent: 'Save' });
  const remove = make('button', { type: 'button', className: 'quiet delete', textContent: 'Delete…', onclick: () => ask(true) });
  const form = make('form', { method: 'dialog' }, ...(!changes ? [] : [
    make('label', {}, make('span', { textContent: 'Title' }), title),
    make('label', {}, make('span', { textContent: 'Tag' }), tag),
    make('label', { className: 'check' }, archived,
      make('span', { textContent: 'Archived: lists leave the session out until somebody writes in it again' }))]),
    trouble, make('div', { className: 'answers' }, ...(may('deleteSession') ? [remove] : []), cancel, ...(changes ? [save] : [])));
  // Names the session, because nothing brings it back.
  const question = make('p', { id: 'delete-question' });
  const sure = make('button', { type: 'button', className: 'bad', textContent: 'Delete it', onclick: destroy });
  const refusal = make('p', { className: 'note bad', role: 'alert', hidden: true });
  const confirm = make('div', { className: 'confirm', hidden: true }, question, refusal, make('div', { className: 'answers' },
    make('button', { type: 'button', textContent: 'Keep it', onclick: () => ask(false) }), sure));
  const dialog = make('dialog', { className: 'about-session' }, make('h2', { id: 'about-title', textContent: 'About this session' }), form, confirm);
  dialog.setAttribute('aria-labelledby', 'about-title');
  document.body.append(dialog);

  let shown = null; // The session as it was.
  let opened = 0; // What is heard of an earlier dialog does not count.

  function tell(error) {
    trouble.textContent = error ? said(error) : '';
    trouble.hidden = !error;
  }

  /** Shows the question instead of the form, or the form again. */
  function ask(isAsked) {
    if (isAsked && !shown) return;
    form.hidden = isAsked;
    confirm.hidden = !isAsked;
    refusal.hidden = true;
    if (!isAsked) return;
    const busy = isLive(shown) ? ' It is open on the server: its process ends first.' : '';
    question.textContent = `Delete “${shown.title || 'New session'}” for good? Its conversation and those of its sub-agents are removed, and cannot be brought back.${busy}`;
    confirm.querySelector('button').focus();
  }

  async function destroy() {
    const [mine, session] = [opened, shown];
    sure.disabled = true;
    try {
      await call('DELETE', `/api/sessions/${encodeURIComponent(session.id)}?end=${isLive(session)}`);
      if (mine === opened) dialog.close();
      announce('Deleted');
      left(session.id);
    } catch (error) {
      if (mine !== opened) return;
      refusal.textContent = said(error);
      refusal.hidden = false;
    } finally {
      sure.disabled = false;
    }
  }

  async function open(id) {
    const mine = ++opened;
    shown = null;
    tell(null);
    ask(false);
    form.reset();
    for (const it of [title, tag, archived, save, remove]) it.disabled = true;
    dialog.showModal();
    try {
      const session = await call('GET', `/api/sessions/${encodeURIComponent(id)}/entry`);
      if (mine !== opened || !dialog.open) return;
      shown = session;
      title.value = session.title ?? '';
      tag.value = session.tag ?? '';
      archived.checked = session.archived;
      for (const it of [title, tag, archived, save, remove]) it.disabled = false;
      title.focus();
      title.select();
    } catch (error) {
      if (mine === opened) tell(error);
    }
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!shown || !changes || save.disabled) return;
    const mine = opened;
    const wanted = {
      ...(title.value.trim() !== (shown.title ?? '') && { title: title.value.trim() }),
      ...(tag.value.trim() !== (shown.tag ?? '') && { tag: tag.value.trim() }),
      ...(archived.checked !== shown.archived && { archived: archived.checked }),
    };
    save.disabled = true;
    try {
      if (Object.keys(wanted).length) await call('PATCH', `/api/sessions/${encodeURIComponent(shown.id)}`, wanted);
      if (mine !== opened) return;
      dialog.close();
      announce('Saved');
    } catch (error) {
      if (mine === opened) tell(error);
    } finally {
      if (mine === opened) save.disabled = false;
    }
  });

  return open;
}
