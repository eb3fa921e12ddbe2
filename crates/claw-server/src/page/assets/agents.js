// The cards of sub-agents and tasks: how long they run, a button that stops them, and the transcripts of sub-agents.
import { announce, at, call, make, may } from './common.js';

/** So many elements of a transcript are fetched at once, and so many are in the document at most. */
const BATCH = 60;
const MOST = 200;

const CARD = 'section[data-state]';
const kindOf = (card) => (card.classList.contains('subagent') ? 'agent' : 'task');
const isCard = (section) => section?.matches(CARD);
/** What the page has put into a card, besides what the server has drawn. */
const own = (card) => [...card.querySelectorAll(':scope > .all > .acts, :scope > .all > .transcript')];

/**
 * Equips the cards below `log`. `part` is what of the conversation is in the document, `put` performs an operation, `equip`
 * is called with new elements, `act` does what may fail, and says so.
 */
export function agents({ log, api, part, put, equip, act }) {
  /** What of a transcript is in the document, by its card. */
  const transcripts = new WeakMap();
  /** The IDs of the cards whose transcripts are unfolded, also while a card is not in the document. */
  const unfolded = new Set();

  // The cards.

  /** Puts the button and the transcript into the cards in a place, and shows their state. */
  function mark(place) {
    for (const card of place.matches(CARD) ? [place] : place.querySelectorAll(CARD)) {
      if (!own(card).length) furnish(card);
      const isRunning = card.dataset.state === 'running';
      const acts = card.querySelector(':scope > .all > .acts');
      acts.hidden = !isRunning;
      if (may('stopTask')) acts.querySelector('button').hidden = !('task' in card.dataset);
      elapse(card);
    }
  }

  function furnish(card) {
    const all = card.querySelector(':scope > .all');
    const name = all.querySelector('.head')?.textContent ?? '';
    const stop = make('button', { type: 'button', className: 'stop', textContent: `Stop ${kindOf(card)}` });
    stop.ariaLabel = `Stop ${kindOf(card)}: ${name}`;
    all.append(make('p', { className: 'acts' }, make('span', { className: 'elapsed' }), ...(may('stopTask') ? [stop] : [])));
    if (!('transcript' in card.dataset)) return;
    const older = make('button', { type: 'button', className: 'quiet older', textContent: 'Show older', hidden: true });
    const list = make('div', { className: 'elements' });
    const fold = make('details', { className: 'transcript' }, make('summary', { textContent: 'Transcript' }), older, list);
    transcripts.set(card, { older, list, before: 0, reached: 0, hasNewest: false, isLoaded: false });
    all.append(fold);
    fold.open = unfolded.has(card.id);
  }

  /** Draws a card anew in its place: what has the focus keeps it, and a transcript stays as the reader has it. */
  function update(card, fresh) {
    if (!isCard(card) || !isCard(fresh)) return false;
    const kept = own(card);
    if (!kept.length) return false;
    card.className = `${fresh.className}${card.classList.contains('found') ? ' found' : ''}`;
    for (const name of Object.keys(card.dataset)) if (!(name in fresh.dataset)) delete card.dataset[name];
    Object.assign(card.dataset, fresh.dataset);
    const all = card.querySelector(':scope > .all');
    const wasIn = kept[0].contains(document.activeElement);
    for (const node of [...all.childNodes]) if (!kept.includes(node)) node.remove();
    all.prepend(...fresh.querySelector(':scope > .all').childNodes);
    mark(card);
    // The button that had the focus is gone: whoever uses the keyboard stays at the card.
    if (wasIn && kept[0].hidden) all.querySelector(':scope > .transcript > summary')?.focus({ preventScroll: true });
    return true;
  }

  /** Says how long a card has been running, by the clock of this device. */
  function elapse(card) {
    const place = card.querySelector(':scope > .all > .acts > .elapsed');
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(card.dataset.began)) / 1000));
    const text = Number.isNaN(seconds) ? '' : inWords(seconds);
    if (place && place.textContent !== text) place.textContent = text;
  }
  setInterval(() => log.querySelectorAll('section[data-state=running]').forEach(elapse), 1000);

  log.addEventListener('click', ({ target }) => {
    const button = target.closest('.acts > button');
    const card = button?.closest(CARD);
    if (!card || button.ariaBusy === 'true') return;
    button.ariaBusy = 'true';
    act(async () => {
      try {
        const { stopped } = await call('POST', `${api}/tasks/${encodeURIComponent(card.dataset.task)}/stop`);
        announce(stopped ? `The ${kindOf(card)} is being stopped.` : `The ${kindOf(card)} had already ended.`);
      } finally {
        button.ariaBusy = 'false';
      }
    });
  });

  // The transcripts.

  /** Fetches elements of a transcript, and puts them where `how` does. */
  async function fetched(card, query, how) {
    const window = await part.fetched({ agent: card.id, limit: BATCH, ...query });
    if (!window || !card.isConnected) return;
    const transcript = transcripts.get(card);
    const seen = part.eye();
    how(part.sectionsOf(window), window, transcript);
    transcript.isLoaded = true;
    equip(transcript.list);
    for (const operation of window.operations) {
      if (operation.card === card.id) take(operation);
      else if (transcript.list.contains(at(operation.id))) put(operation);
    }
    label(transcript);
    if (transcript.list.contains(document.activeElement)) return;
    part.restore(seen);
  }

  function label({ older, list, before }) {
    older.hidden = before <= 0;
    older.textContent = `Show older (${before.toLocaleString('en')})`;
    list.toggleAttribute('data-empty', !list.firstElementChild);
  }

  const fill = (card, query) => fetched(card, query, (sections, window, transcript) => {
    transcript.list.replaceChildren(...sections);
    Object.assign(transcript, { before: window.before, reached: window.n, hasNewest: window.after === 0 });
  });

  // What is folded says so later, and not at all if the card was drawn anew meanwhile: then the new one is unfolded.
  log.addEventListener('click', ({ target }) => {
    const fold = target.closest('.transcript > summary')?.parentElement;
    const card = fold?.closest(CARD);
    if (card && fold.open) unfolded.delete(card.id);
    else if (card) unfolded.add(card.id);
  });

  log.addEventListener('toggle', ({ target }) => {
    const card = target.matches('.transcript') && target.closest(CARD);
    if (card && target.open) unfolded.add(card.id);
    else if (card) unfolded.delete(card.id);
    if (card && target.open && !transcripts.get(card)?.isLoaded) fill(card, {});
  }, true);

  log.addEventListener('click', ({ target }) => {
    const card = target.matches('.transcript > .older') && target.closest(CARD);
    const first = card && transcripts.get(card).list.firstElementChild;
    if (!first) return;
    fetched(card, { before: first.id }, (sections, window, transcript) => {
      if (transcript.list.firstElementChild !== first) return;
      transcript.list.prepend(...sections);
      transcript.before = window.before;
    });
  });

  /** Carries out what happened in a sub-agent, if the newest elements of its transcript are in the document. */
  function take(operation) {
    const card = at(operation.card);
    const transcript = transcripts.get(card);
    if (!transcript?.isLoaded || at(operation.id)) return;
    if (operation.op === 'remove' || !transcript.hasNewest || operation.n <= transcript.reached) return;
    const template = make('template', { innerHTML: operation.html });
    transcript.list.append(template.content.firstElementChild);
    while (transcript.list.childElementCount > MOST) {
      transcript.list.firstElementChild.remove();
      transcript.before += 1;
    }
    equip(transcript.list);
    label(transcript);
  }

  /** Unfolds these cards, each in the one before, up to an element in the last one. */
  async function reveal(cards, id) {
    for (const [n, name] of cards.entries()) {
      const card = at(name);
      if (!transcripts.has(card)) return;
      const next = cards[n + 1] ?? id;
      if (!at(next)) await fill(card, { around: next });
      card.querySelector(':scope > .all > .transcript').open = true;
    }
  }

  return { mark, reveal, take, update };
}

function inWords(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
