// What can be chosen in a project: models, permission modes, effort levels, commands. The CLI has told the server.
import { call } from './common.js';

const MODES = {
  default: 'Ask first', acceptEdits: 'Accept edits', plan: 'Plan only', dontAsk: 'Deny what would ask',
  auto: 'Decide by itself', bypassPermissions: 'Allow everything',
};
const EFFORTS = { low: 'Low effort', medium: 'Medium effort', high: 'High effort', xhigh: 'Extra high effort', max: 'Highest effort' };

/** Asks for the choices of a project. */
export const choicesOf = (project) => call('GET', `/api/projects/${encodeURIComponent(project)}/choices`);

/** Whether an option stands for a value: also by the name of the model behind an alias. */
const standsFor = (option, value) => option.value === value || option.dataset.resolved === value;

/** Selects a value that is in effect. The CLI may have named none of that kind. */
export function choose(select, value) {
  select.dataset.value = value ?? '';
  if (value == null || document.activeElement === select) return;
  // Several aliases may stand for one model: what was chosen stays.
  if (select.selectedOptions[0] && standsFor(select.selectedOptions[0], value)) return;
  const option = [...select.options].find((it) => standsFor(it, value)) ?? new Option(value, value);
  if (!option.parentElement) select.append(option);
  select.value = option.value;
}

/** Replaces the options of a select, unless somebody has it open, and keeps what is chosen. */
function fill(select, options) {
  // A form has no list for what its person may not choose.
  if (!select) return;
  const wanted = JSON.stringify(options);
  if (select.dataset.options === wanted || document.activeElement === select) return;
  select.dataset.options = wanted;
  const before = select.value;
  select.replaceChildren(...options.map(({ name, value, ...rest }) => {
    const option = new Option(name, value);
    Object.assign(option.dataset, rest);
    return option;
  }));
  if (options.some((it) => it.value === before)) select.value = before;
  if (select.dataset.value) choose(select, select.dataset.value);
}

/** Offers in three selects what a project has. `first` is the mode that stands for none, where a form has one. */
export function offer({ model, mode, effort }, { models, modes }, first = []) {
  const all = models.some((it) => it.value === 'default') ? [] : [{ name: 'Default model', value: 'default', efforts: '' }];
  for (const it of models) {
    const about = { efforts: it.efforts.join(' '), auto: it.auto };
    all.push({ name: it.name || it.value, value: it.value, ...about, ...(it.resolved && { resolved: it.resolved }) });
  }
  fill(model, all);
  fill(mode, [...first, ...modes.map((it) => ({ name: MODES[it] ?? it, value: it }))]);
  const chosen = () => {
    const { efforts = '', auto } = model.selectedOptions[0]?.dataset ?? {};
    const levels = efforts.split(' ').filter(Boolean);
    fill(effort, [{ name: 'Default effort', value: 'default' }, ...levels.map((it) => ({ name: EFFORTS[it] ?? it, value: it }))]);
    // In the form of a new session it keeps its place: what stands below it does not move when the choices come.
    effort.disabled = levels.length === 0;
    if (effort.id) effort.closest('label').hidden = effort.disabled;
    for (const option of mode?.options ?? []) option.disabled = option.value === 'auto' && auto === 'false';
  };
  if (!model.dataset.isWatched) model.addEventListener('change', () => chosen());
  model.dataset.isWatched = 'true';
  chosen();
}
