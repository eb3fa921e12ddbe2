// Prompts that have not reached the server. This device keeps them until they have, also over a reload.
import { address, announce, at, make, Refused, said } from './common.js';

/** The maximum number of prompts of a session that are kept. */
const MOST = 50;
/** The interval between two attempts to send while the page is connected, in milliseconds. */
const INTERVAL = 15_000;
const STORE = 'outbox';

/** Opens the database. Fails in a browser that keeps nothing. */
const database = () => new Promise((done, failed) => {
  const opening = indexedDB.open('claw', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'uuid' });
  opening.onsuccess = () => done(opening.result);
  opening.onerror = () => failed(opening.error);
});

/** Performs one request to the store. Returns its result when the transaction is complete. */
async function stored(mode, act) {
  const opened = await database();
  try {
    return await new Promise((done, failed) => {
      const transaction = opened.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => done(request.result);
      transaction.onabort = () => failed(transaction.error);
    });
  } finally {
    opened.close();
  }
}

/** Whether the prompt is in the conversation, or in these operations on it. Then the server has it. */
export function isShown(uuid, operations = []) {
  // In text there are no quotes.
  const id = `e-${uuid}.`;
  const isIn = (html) => html?.includes(`<section id="${id}`);
  return operations.some((it) => isIn(it.html) || isIn(it.window?.html))
    || document.querySelector(`#log > [id^="${id}"]`) != null;
}

/**
 * The outbox of a session. `send` sends a prompt. `edit` puts a prompt into the field, and returns `false` if the field is
 * not empty.
 */
export function outbox({ session, send, edit }) {
  const of = address(`/s/${session}`);
  const place = at('outbox');
  let waiting = [];
  let refusal = ''; // Why the server did not accept the first prompt.
  let isSending = false;
  let timer = 0;

  const nameOf = ({ text, images = [], documents = [] }) => {
    const files = images.length + documents.length;
    return [text.slice(0, 200), files ? `(${files} ${files === 1 ? 'file' : 'files'})` : ''].filter(Boolean).join(' ');
  };

  function show() {
    place.hidden = !waiting.length;
    const are = waiting.length > 1 ? 'They are' : 'It is';
    const note = refusal ? `Not sent: ${refusal}` : `Not sent yet. ${are} sent when the server is there again.`;
    place.replaceChildren(make('p', { role: 'status', textContent: note }), make('ul', {}, ...waiting.map(({ uuid, prompt }) => make('li', {},
      make('span', { textContent: nameOf(prompt), dir: 'auto' }),
      make('button', { type: 'button', textContent: 'Edit', onclick: () => { if (!isSending && edit(prompt)) remove(uuid); } }),
      make('button', { type: 'button', textContent: 'Remove', ariaLabel: `Remove ${nameOf(prompt)}`, onclick: () => { if (!isSending) remove(uuid); } })))));
  }

  async function read() {
    const all = await stored('readonly', (store) => store.getAll());
    waiting = all.filter((it) => it.of === of).sort((one, other) => one.number - other.number);
    show();
  }

  async function remove(uuid) {
    await stored('readwrite', (store) => store.delete(uuid));
    if (waiting[0]?.uuid === uuid) refusal = '';
    await read();
  }

  /** Keeps a prompt behind the others. Returns `false` if the browser keeps nothing, or too many wait. */
  async function keep(prompt) {
    try {
      await read();
      if (waiting.length >= MOST) return false;
      const number = Math.max(Date.now(), 1 + (waiting.at(-1)?.number ?? 0));
      await stored('readwrite', (store) => store.put({ uuid: prompt.uuid, of, number, prompt }));
      await read();
    } catch {
      return false;
    }
    announce('Not sent yet. It is sent when the server is there again.');
    later();
    return true;
  }

  /** A connection may lose one request and keep the stream. */
  function later() {
    clearTimeout(timer);
    timer = setTimeout(flush, INTERVAL);
  }

  /** Sends what waits, in order. Another page may send the same prompt: the server takes a UUID once. */
  async function flush() {
    if (isSending) return;
    isSending = true;
    try {
      await read();
      while (waiting.length) {
        const { uuid, prompt } = waiting[0];
        if (!isShown(uuid)) await send(prompt);
        await remove(uuid);
      }
    } catch (error) {
      refusal = error instanceof Refused ? said(error) : '';
      show();
      if (waiting.length) later();
    } finally {
      isSending = false;
    }
  }

  return {
    keep,
    flush,
    /** Sends a prompt, behind those that wait. */
    async send(prompt, signal) {
      if (!waiting.length || !await keep(prompt)) return send(prompt, signal);
      return flush();
    },
    /** Moves the prompts to the session as which this one continues. */
    async moved(session) {
      const to = address(`/s/${session}`);
      for (const it of waiting) await stored('readwrite', (store) => store.put({ ...it, of: to }));
    },
    /** Removes the prompts that have arrived. */
    arrived(operations) {
      if (isSending) return;
      for (const { uuid } of waiting) if (isShown(uuid, operations)) remove(uuid);
    },
  };
}
