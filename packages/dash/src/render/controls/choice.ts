import { attributes, html, type Markup } from '../markup.ts';
import {
  type Control,
  type ControlRenderer,
  naming,
  native,
  type Option,
  optionsOf,
  textsOf,
} from './control.ts';

/** Options from which a list has a search field. */
const MANY = 8;

/** One of several, in a menu. A value outside of them, and a missing one, has an option of its own. */
export const select: ControlRenderer = control => {
  const options = optionsOf(control);
  const current = control.value === null ? '' : String(control.value);
  const isOffered = options.some(({ value }) => value === current);
  const extra = isOffered
    ? ''
    : html`<option value="${current}" selected>${current === '' ? '–' : current}</option>`;
  return html`<select class="select"${attributes(native(control))}>${extra}${options.map(
    ({ value, label }) =>
      html`<option${attributes({ value, selected: value === current })}>${label}</option>`,
  )}</select>`;
};

/** One of several, one below the other. */
export const radioGroup: ControlRenderer = control => radios(control, 'choices');

/** One of several, in a bar. */
export const segmented: ControlRenderer = control => radios(control, 'segmented');

function radios(control: Control, className: string): Markup {
  return group(control, 'radiogroup', className, (option, index) =>
    box(control, option, index, 'radio', option.value === control.value),
  );
}

/** Any of several, one below the other. */
export const checkboxGroup: ControlRenderer = control => {
  const chosen = new Set(textsOf(control.value));
  const boxes = group(control, 'group', 'choices', (option, index) =>
    box(control, option, index, 'checkbox', chosen.has(option.value)),
  );
  return html`${emptyList(control)}${boxes}`;
};

/** Any of several, in a list with a search field above eight options. */
export const multiselect: ControlRenderer = control => {
  const chosen = new Set(textsOf(control.value));
  const options = optionsOf(control);
  const search =
    options.length <= MANY
      ? ''
      : html`<input class="input js-only" type="search" data-search="${control.id}" aria-label="Search in ${control.label}" placeholder="Search">`;
  return html`${emptyList(control)}${search}<select class="input list" multiple size="${Math.min(options.length, MANY)}"${attributes(native(control))}>${options.map(
    ({ value, label }) =>
      html`<option${attributes({ value, selected: chosen.has(value) })}>${label}</option>`,
  )}</select>`;
};

/** A checkbox sends nothing while it is off: without it no choice would mean the declared one. */
function emptyList({ address, disabled, form }: Control): Markup {
  return html`<input type="hidden"${attributes({ name: address, value: '[]', form, disabled, 'data-empty': true })}>`;
}

/** Switch and checkbox: the hidden field says no. */
const truth =
  (role: 'switch' | undefined, className: string): ControlRenderer =>
  control => {
    const { address, disabled, form, value, label } = control;
    const empty = { name: address, value: 'false', form, disabled, 'data-empty': true };
    const off = value === null ? '' : html`<input type="hidden"${attributes(empty)}>`; // without a value nothing is set
    return html`${off}<label class="${className}"><input type="checkbox" value="true"${attributes({ ...native(control), role, checked: value === true })}><span>${label}</span></label>`;
  };

export const toggle = truth('switch', 'toggle');
export const checkbox = truth(undefined, 'check');

function group(
  control: Control,
  role: string,
  className: string,
  entry: (option: Option, index: number) => Markup,
): Markup {
  const open = attributes({
    class: className,
    role,
    'aria-labelledby': `${control.id}-label`,
    ...naming(control),
  });
  return html`<div${open}>${optionsOf(control).map(entry)}</div>`;
}

function box(
  control: Control,
  { value, label }: Option,
  index: number,
  type: string,
  checked: boolean,
): Markup {
  const { 'aria-describedby': _, 'aria-invalid': __, ...shared } = native(control);
  const open = attributes({ ...shared, id: `${control.id}-${index}`, type, value, checked });
  return html`<label><input${open}><span>${label}</span></label>`;
}
