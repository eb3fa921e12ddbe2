// Dictation, where the browser recognizes speech: the text is put into the field at the cursor. Nothing is sent by it.
import { announce } from './common.js';

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
/** How many characters of one result are taken. */
const LONGEST = 5_000;

/** Why it has ended, by the names of the errors. A pause and an end that was wished are none. */
const reasons = {
  'not-allowed': 'The browser does not allow this page to use the microphone.',
  'service-not-allowed': 'The browser does not allow its speech recognition here.',
  'audio-capture': 'The browser has no microphone.',
  'language-not-supported': 'The browser does not recognize its own language.',
  network: 'The speech recognition of the browser cannot be reached.',
};

/** The button starts and ends it. What is not certain yet is shown in `heard`, and `told` shows what is wrong. */
export function dictation(field, { button, heard, told }) {
  if (!Recognition) return;
  let current = null;
  let isComposing = false;
  let waiting = []; // What has come while an input method composes.
  button.hidden = false;

  /** Puts a text at the cursor, with a space between it and the word before it. */
  function insert(text) {
    if (isComposing) { waiting.push(text); return; }
    const { selectionStart: start, selectionEnd: end, value } = field;
    const words = text.trim().slice(0, LONGEST);
    if (!words) return;
    const space = start > 0 && !/\s/.test(value[start - 1]) ? ' ' : '';
    field.setRangeText(space + words, start, end, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  field.addEventListener('compositionstart', () => { isComposing = true; });
  field.addEventListener('compositionend', () => {
    isComposing = false;
    const texts = waiting;
    waiting = [];
    for (const text of texts) insert(text);
  });

  function show(text) {
    heard.textContent = text;
    heard.hidden = !text;
    button.ariaPressed = String(current != null);
    button.textContent = current ? 'End dictation' : 'Dictate';
  }

  function ended() {
    current = null;
    show('');
    announce('Dictation has ended');
  }

  function start() {
    const mine = new Recognition();
    Object.assign(mine, { lang: navigator.language, continuous: true, interimResults: true });
    mine.onresult = ({ results, resultIndex }) => {
      if (mine !== current) return;
      let uncertain = '';
      for (let n = resultIndex; n < results.length; n++) {
        const { transcript } = results[n][0];
        if (results[n].isFinal) insert(transcript); else uncertain += transcript;
      }
      show(uncertain.slice(-LONGEST) || 'Listening…');
    };
    mine.onerror = ({ error }) => { if (mine === current && reasons[error]) told(reasons[error]); };
    mine.onend = () => { if (mine === current) ended(); };
    current = mine;
    told('');
    show('Listening…');
    try {
      mine.start();
      announce('Listening');
    } catch {
      told(reasons['service-not-allowed']);
      ended();
    }
  }

  button.addEventListener('click', () => { if (current) current.stop(); else start(); });
  // What is heard after a prompt is not part of the next one.
  field.form.addEventListener('submit', () => {
    const it = current;
    if (!it) return;
    ended();
    it.abort();
  });
}
