// The fields of a form that an MCP server or the CLI asks for. The server checks the values, and this page sends them.
const two = (number) => String(number).padStart(2, '0');

/** A time in the person's zone, as a field has it. */
function local(text) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return '';
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}

/** Prepares a form: its times are those of the person's zone. */
export function prepare(form) {
  for (const field of form.querySelectorAll('input[data-time]')) field.value = local(field.dataset.time);
}

/** The value of a number that was typed. What is none is sent as it is, so that the server says so. */
function number(text) {
  const value = Number(text.replace(',', '.'));
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return Number.isFinite(value) && isExact ? value : text;
}

/** The value of a field. `undefined` if it was left empty. */
function valueOf(field) {
  const control = field.querySelector('input, select, textarea');
  const checked = [...field.querySelectorAll('input:checked')].map((it) => JSON.parse(it.value));
  switch (field.dataset.kind) {
    case 'choices': {
      const had = [...field.querySelectorAll('input')].some((it) => it.defaultChecked);
      return checked.length || had || 'required' in field.dataset ? checked : undefined;
    }
    case 'choice': {
      const chosen = control.matches('select') ? control.value && JSON.parse(control.value) : checked[0];
      return chosen === null || chosen === '' ? undefined : chosen;
    }
    case 'number': return control.value.trim() ? number(control.value.trim()) : undefined;
    case 'time': {
      // What the browser cannot read is a text that the server refuses.
      if (!control.value) return control.validity.badInput ? 'unreadable' : undefined;
      return new Date(control.value).toISOString();
    }
    case 'text': return control.value || (control.validity.badInput ? 'unreadable' : undefined);
    default: return undefined;
  }
}

/** The name of a field. Names and choices are JSON in the page. */
const nameOf = (field) => JSON.parse(field.dataset.name);

/** The values of a form, by the names of its fields. */
export function valuesOf(form) {
  const values = [...form.querySelectorAll('.field')].map((field) => [nameOf(field), valueOf(field)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Says at each field what is wrong with it, and goes to the first one. */
export function point(form, errors) {
  let first = null;
  for (const field of form.querySelectorAll('.field')) {
    const error = errors.find(({ name }) => name === nameOf(field));
    const place = field.querySelector('.error');
    place.textContent = error ? `It ${error.message}.` : '';
    place.hidden = !error;
    const controls = field.querySelectorAll('input, select, textarea');
    controls.forEach((it) => { it.ariaInvalid = error ? 'true' : null; });
    if (error) first ??= controls[0];
  }
  first?.focus();
}
