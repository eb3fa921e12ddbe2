// The field for a prompt: files, a draft that is kept, and sending that never sends twice.
import { announce, at, isComposing, make, Refused, sizeOf } from './common.js';
import { isShown } from './outbox.js';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const PDF = 'application/pdf';

/** The longest side of an image that is sent, in pixels. */
const SIDE = 2000;
/** The size above which an image is drawn again, in bytes. The API refuses images of more than 5 MB. */
const LARGE = 3_500_000;
/** The largest file that is attached, in bytes. A prompt has at most 32 MiB, and base64 makes a third more of a file. */
const LARGEST = 24_000_000;

/** A large image in a smaller form. Animations and other files stay as they are. */
async function smaller(file) {
  if (!IMAGES.includes(file.type) || file.type === 'image/gif') return file;
  const picture = await createImageBitmap(file);
  const share = Math.min(1, SIDE / Math.max(picture.width, picture.height));
  if (share === 1 && file.size <= LARGE) return file;
  const [width, height] = [picture.width, picture.height].map((it) => Math.max(1, Math.round(it * share)));
  const canvas = make('canvas', { width, height });
  const drawing = canvas.getContext('2d');
  drawing.drawImage(picture, 0, 0, width, height);
  picture.close();
  const written = (type) => new Promise((done) => { canvas.toBlob(done, type, 0.85); });
  const same = await written(file.type);
  if (same && same.size <= LARGE) return same;
  // JPEG has no transparency.
  drawing.globalCompositeOperation = 'destination-over';
  drawing.fillStyle = 'white';
  drawing.fillRect(0, 0, width, height);
  return await written('image/jpeg') ?? file;
}

/** The bytes of a file in base64. */
async function base64(file) {
  const url = await new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}

/** A file as a part of a prompt: an image, a PDF, a text, or a file that the server writes to its disk. */
async function partOf(file) {
  const title = file.name;
  if (IMAGES.includes(file.type)) {
    // An image that this browser cannot draw is sent as it is.
    const sent = await smaller(file).catch(() => file);
    return { mediaType: sent.type, data: await base64(sent) };
  }
  if (file.type === PDF) return { mediaType: PDF, data: await base64(file), title };
  try {
    const data = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    if (!data.includes('\0')) return { mediaType: 'text/plain', data, title };
  } catch {
    // It is no text.
  }
  return { mediaType: 'application/octet-stream', data: await base64(file), title };
}

/** From how many characters on sending may take long. */
const SOON = 500_000;

const isImage = (part) => IMAGES.includes(part.mediaType);

/** Whether the person writes with a finger. Then Enter makes a new line, and the button sends. */
const finger = matchMedia('(pointer: coarse)');
const byFinger = () => finger.matches;

/**
 * The field in this form. `send` sends a prompt, `keep` keeps one that did not reach the server, and returns `false` if it cannot,
 * `told` says what is wrong (or nothing), `sent` is called after a prompt was sent or kept.
 */
export function growing(form, { key, send, keep, uuid, told, sent }) {
  const field = at('prompt');
  const pictures = at('pictures');
  const files = at('files');
  let parts = [];
  // The prompt that was sent and not answered, which keeps its UUID.
  let pending = null;
  let isSending = false;
  let isRefused = false; // Whether the notice is about a file.
  let isUnreached = false; // Whether the server was not reached with the prompt that is pending.

  /** The keys say what they do: the one of a keyboard on the screen, and the button for those who have a real keyboard. */
  function label() {
    field.enterKeyHint = byFinger() ? 'enter' : 'send';
    at('send').title = byFinger() ? '' : 'Enter sends. Shift+Enter makes a new line.';
  }
  finger.addEventListener('change', label);
  label();

  // What is chosen seldom is folded where there is little room.
  const tools = at('tools');
  const unfold = at('unfold');
  function setOpen(isOpen) {
    tools.classList.toggle('open', isOpen);
    unfold.ariaExpanded = String(isOpen);
  }
  const fold = () => setOpen(false);
  unfold.addEventListener('click', () => setOpen(!tools.classList.contains('open')));
  // It takes room from what is read.
  document.addEventListener('pointerdown', ({ target }) => { if (!form.contains(target)) fold(); });

  field.value = localStorage.getItem(key) ?? '';
  // Most browsers do it by themselves. The others measure the field, once in a frame.
  const isFit = CSS.supports('field-sizing', 'content');
  let frame = 0;
  const fit = () => {
    if (isFit) return;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      field.style.height = 'auto';
      field.style.height = `${field.scrollHeight + 2}px`;
    });
  };
  field.addEventListener('input', () => {
    localStorage.setItem(key, field.value);
    fit();
  });
  fit();

  function show() {
    pictures.replaceChildren(...parts.map((part, n) => make('figure', {},
      isImage(part)
        ? make('img', { src: `data:${part.mediaType};base64,${part.data}`, alt: `Image ${n + 1}` })
        : make('figcaption', { textContent: part.title ?? 'A document' }),
      make('button', {
        type: 'button', textContent: '×', ariaLabel: `Remove ${isImage(part) ? `image ${n + 1}` : part.title ?? 'the document'}`,
        onclick: () => { parts = parts.filter((it) => it !== part); show(); },
      }))));
  }

  /** Puts other files in the place of those that are attached. Gives these. */
  function exchange(others) {
    const before = parts;
    parts = others;
    show();
    return before;
  }

  /** Says what takes long, or nothing, with a button that cancels it. */
  function busyWith(text, cancel) {
    const button = cancel && make('button', { type: 'button', textContent: 'Cancel', onclick: cancel });
    at('sending').replaceChildren(text, ...(button ? [' ', button] : []));
    at('sending').hidden = !text;
  }

  async function attach(list) {
    const refused = [];
    for (const file of list) {
      busyWith(`Reading ${file.name}, ${sizeOf(file.size)}…`);
      // What is not drawn smaller is sent as it is.
      const isSent = file.size > 0 && (file.size <= LARGEST || IMAGES.includes(file.type));
      const part = isSent && await partOf(file).catch(() => null);
      if (part) parts.push(part); else refused.push(file.name);
    }
    busyWith('');
    show();
    fold();
    // Another notice stays.
    if (refused.length || isRefused) {
      told(refused.length ? `Not attached: ${refused.join(', ')}. Empty, unreadable, or more than ${sizeOf(LARGEST)}.` : '');
    }
    isRefused = refused.length > 0;
    announce(`${parts.length} files`);
  }
  at('attach').addEventListener('click', () => files.click());
  files.addEventListener('change', () => { attach([...files.files]); files.value = ''; });
  field.addEventListener('paste', (event) => {
    if (event.clipboardData?.files.length) { event.preventDefault(); attach([...event.clipboardData.files]); }
  });
  // Anywhere: beside the field, the browser would open the file in place of the page.
  const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
  addEventListener('dragover', (event) => { if (hasFiles(event)) event.preventDefault(); });
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    attach([...event.dataTransfer.files]);
  });

  /** The prompt is with the server. */
  function done({ text }) {
    pending = null;
    if (field.value === text) {
      field.value = '';
      localStorage.removeItem(key);
    }
    parts = [];
    show();
    fit();
    told('');
    fold();
    sent();
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = field.value;
    if (isSending || (!text.trim() && parts.length === 0)) return;
    const content = JSON.stringify([text, parts]);
    // What failed on its way may have arrived: the same prompt again has the same UUID.
    isUnreached = false;
    if (pending?.content !== content) pending = { content, text, uuid: uuid() };
    const mine = pending;
    const prompt = { uuid: mine.uuid, text };
    const images = parts.filter(isImage);
    const documents = parts.filter((it) => !isImage(it));
    if (images.length) prompt.images = images;
    if (documents.length) prompt.documents = documents;
    if (!at('priority').parentElement.hidden) prompt.priority = at('priority').value;
    isSending = true;
    at('send').disabled = true;
    const size = parts.reduce((all, { data }) => all + data.length, 0);
    const sending = new AbortController();
    if (size > SOON) busyWith(`Sending ${sizeOf(size)}…`, () => sending.abort());
    try {
      await send(prompt, sending.signal);
      if (pending === mine) done(mine);
    } catch (error) {
      // It may have been seen in the conversation meanwhile.
      if (pending === mine && sending.signal.aborted) told('Cancelled. It was not sent, unless it is shown above.');
      else if (pending === mine && !arrived()) {
        isUnreached = !(error instanceof Refused);
        if (isUnreached && await keep(prompt)) done(mine);
        else told(isUnreached ? 'Not sent. It is sent when the server is there again' : 'Not sent', error);
      }
    } finally {
      busyWith('');
      isSending = false;
      at('send').disabled = false;
    }
  });

  /** Whether the prompt that nothing was heard of is in the conversation. Then it was sent. */
  function arrived(operations = []) {
    if (!pending || !isShown(pending.uuid, operations)) return false;
    done(pending);
    return true;
  }

  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || isComposing(event)) return;
    if (event.ctrlKey || event.metaKey || !(event.shiftKey || byFinger())) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  /** The server is there again: what did not reach it is sent, under the same UUID. */
  function again() {
    if (!isUnreached || isSending || arrived()) return;
    isUnreached = false;
    if (pending?.content === JSON.stringify([field.value, parts])) form.requestSubmit(); else told('');
  }

  /** Puts a prompt into the field. Returns `false` if the field is not empty. */
  function put({ text, images = [], documents = [] }) {
    if (field.value || parts.length) {
      told('The field for the next prompt is not empty.');
      return false;
    }
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    exchange([...images, ...documents]);
    field.focus();
    return true;
  }

  return { again, arrived, exchange, put, fold, focus: () => { if (!byFinger()) field.focus({ preventScroll: true }); } };
}
