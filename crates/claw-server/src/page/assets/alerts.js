// What a page does when sessions begin and cease to ask: a sound, which is off until a person turns it on, and the end of
// notifications of this device.
import { address } from './common.js';

/** Whether there is a sound is kept in this browser. */
const SOUND = `claw.sound${address('/')}`;
const LENGTH = 0.3; // In seconds.

let context = null;
let asking = null; // The IDs of the sessions that ask. Null until it is known.

export const hasSound = () => localStorage.getItem(SOUND) === 'yes';

/** Turns the sound on, and plays it once, or turns it off. */
export function setSound(is) {
  localStorage.setItem(SOUND, is ? 'yes' : 'no');
  if (is) play();
}

/** Plays the sound, in one of the pages that are open. Browsers allow none in a page that nobody has touched. */
function play() {
  if (!hasSound() || !('AudioContext' in window) || navigator.userActivation?.hasBeenActive === false) return;
  const sounded = () => new Promise((ended) => {
    context ??= new AudioContext();
    context.resume().catch(() => {});
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    tone.frequency.value = 660;
    volume.gain.setValueAtTime(0.2, context.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + LENGTH);
    tone.connect(volume).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + LENGTH);
    setTimeout(ended, LENGTH * 1000);
  });
  // Without HTTPS there are no locks.
  if (navigator.locks) navigator.locks.request('claw-sound', { ifAvailable: true }, (lock) => (lock ? sounded() : null)).catch(() => {});
  else sounded();
}

/** Closes the notifications about requests of these sessions. */
async function withdraw(sessions) {
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const it of await registration?.getNotifications() ?? []) {
    if (it.data?.kind === 'request' && sessions.has(it.data.session)) it.close();
  }
}

/** Takes what goes on in all sessions. */
export function alerts(sessions) {
  const before = asking;
  asking = new Set(sessions.filter((it) => ['asking', 'deferred'].includes(it.phase)).map((it) => it.id));
  // What asked before the page was open is nothing new.
  if (!before) return;
  if ([...asking].some((id) => !before.has(id))) play();
  const answered = new Set([...before].filter((id) => !asking.has(id)));
  if (answered.size) withdraw(answered).catch(() => {});
}
