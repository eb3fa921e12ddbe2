// The field for a prompt: images, a draft that is kept, and sending that never sends twice.
import { announce, at, make } from './common.js';

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Whether the person writes with a finger, whose Enter makes a new line. */
const byFinger = () => matchMedia('(pointer: coarse)').matches;

export function growing(form, { key, send, uuid, failed, sent }) {
  const field = at('prompt');
  const pictures = at('pictures');
  const files = at('files');
  let images = [];
  // The prompt that was sent and not answered, which keeps its UUID.
  let pending = null;
  let isSending = false;

  field.value = localStorage.getItem(key) ?? '';
  const fit = () => {
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
  };
  field.addEventListener('input', () => {
    localStorage.setItem(key, field.value);
    fit();
  });
  fit();

  function show() {
    pictures.replaceChildren(...images.map((image, n) => make('figure', {},
      make('img', { src: `data:${image.mediaType};base64,${image.data}`, alt: `Image ${n + 1}` }),
      make('button', {
        type: 'button', textContent: '×', ariaLabel: `Remove image ${n + 1}`,
        onclick: () => { images = images.filter((it) => it !== image); show(); },
      }))));
  }

  async function attach(list) {
    for (const file of list) {
      if (!TYPES.includes(file.type)) continue;
      const url = await new Promise((done) => {
        const reader = new FileReader();
        reader.onload = () => done(reader.result);
        reader.readAsDataURL(file);
      });
      images.push({ mediaType: file.type, data: url.slice(url.indexOf(',') + 1) });
    }
    show();
    announce(`${images.length} images`);
  }
  at('attach').addEventListener('click', () => files.click());
  files.addEventListener('change', () => { attach(files.files); files.value = ''; });
  field.addEventListener('paste', (event) => {
    if (event.clipboardData?.files.length) { event.preventDefault(); attach(event.clipboardData.files); }
  });
  form.addEventListener('dragover', (event) => event.preventDefault());
  form.addEventListener('drop', (event) => { event.preventDefault(); attach(event.dataTransfer.files); });

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = field.value;
    if (isSending || (!text.trim() && images.length === 0)) return;
    const content = JSON.stringify([text, images]);
    // What failed on its way may have arrived: the same prompt again has the same UUID.
    if (pending?.content !== content) pending = { content, uuid: uuid() };
    const prompt = { uuid: pending.uuid, text };
    if (images.length) prompt.images = images;
    if (!at('priority').parentElement.hidden) prompt.priority = at('priority').value;
    isSending = true;
    at('send').disabled = true;
    try {
      await send(prompt);
      pending = null;
      if (field.value === text) field.value = '';
      images = [];
      localStorage.removeItem(key);
      show();
      fit();
      failed(null);
      sent();
    } catch (error) {
      failed(error);
    } finally {
      isSending = false;
      at('send').disabled = false;
    }
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || !(event.shiftKey || byFinger())) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  return { focus: () => { if (!byFinger()) field.focus({ preventScroll: true }); } };
}
