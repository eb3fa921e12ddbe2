// What all pages need.

/** The element with this ID. */
export const at = (id) => document.getElementById(id);

/** A new element with properties and children. Text is text, never markup. */
export function make(name, properties = {}, ...children) {
  const it = Object.assign(document.createElement(name), properties);
  it.append(...children);
  return it;
}

/** The title of a session as lists show it. That of a fork begins with the word, because long titles are cut off at their ends. */
export function titled(title, fork) {
  if (!fork || !title) return title || 'New session';
  return `Fork${fork > 1 ? `, level ${fork}` : ''}: ${title.replace(/( \(fork\))+$/, '')}`;
}

/** Whether the person of this page may use the operation with this name, or this part of one. The server decides, too. */
export const may = (operation) => (document.body.dataset.may ?? '').split(' ').includes(operation);

/** An error that the server has answered with. */
export class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? `The server answered with status ${status}.`);
    this.status = status;
    this.kind = error?.kind;
    this.error = error;
  }
}

/** What other viewers call this one. */
const viewer = matchMedia('(pointer: coarse)').matches ? 'a phone' : 'a computer';

/** The path before all paths of the server. This file is at `BASE/assets/VERSION/common.js`. Empty at the root. */
const base = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

/** The address of a path of the server. The page of all sessions is at the base itself. */
export const address = (path) => (path === '/' ? base || '/' : base + path);

/**
 * What the pages of this server alone know. Browsers send the cookie of the login to every server of the host, whatever its
 * port, and this to none of them. The cookie is of no use without it.
 */
function ownKey() {
  const name = `claw.key${base}`;
  try {
    if (!localStorage.getItem(name)) localStorage.setItem(name, (uuid() + uuid()).replaceAll('-', ''));
    return localStorage.getItem(name);
  } catch {
    return null; // A browser that keeps nothing.
  }
}
export const key = ownKey();
/** The header of each request that is not open to everybody. */
export const keyed = key ? { 'x-claw-key': key } : {};

/** Asks for the events at an address. An `EventSource` cannot send the key. */
export const listenAt = (path, signal) => fetch(address(path), {
  credentials: 'same-origin', headers: { accept: 'text/event-stream', ...keyed }, signal,
});

/** Calls the API. Fails with `Refused`, or with a TypeError if the server cannot be reached. */
export async function call(method, path, body, signal) {
  return (await answered(method, path, body, signal)).value;
}

/** Calls the API as `call` does, and also returns what the answer lacks: a sentence, or null. */
export async function answered(method, path, body, signal) {
  const answer = await fetch(address(path), {
    method,
    signal,
    credentials: 'same-origin',
    headers: { 'x-claw-viewer': viewer, ...keyed, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* Not of claw: a proxy's page. */ }
  if (!answer.ok) throw new Refused(answer.status, value?.error);
  return { value, missing: answer.headers.get('claw-missing') };
}

/** A number of bytes, for people. */
export const sizeOf = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** How a browser is logged in. */
export const LINK = 'Open a new login link: a browser that is logged in makes one with “Log in another device”, and claw serve prints one when it starts.';

/** What a person is told about a failure. */
export function said(error) {
  if (error instanceof Refused) {
    return error.status === 401 ? `This browser is not logged in any more. ${LINK}` : error.message;
  }
  return 'The server cannot be reached.';
}

/** A random UUID. `crypto.randomUUID` is missing where the page is not loaded by HTTPS. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [0, 8, 12, 16, 20].map((start, n, all) => hex.slice(start, all[n + 1])).join('-');
}

/** Whether a key is one of an input method, such as for Japanese. Safari says so by the number alone. */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/** Says something to a screen reader. */
export function announce(text) {
  const place = at('announced');
  if (place) place.textContent = text;
}
