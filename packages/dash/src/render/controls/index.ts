import { html, type Markup } from '../markup.ts';
import { SETTINGS_FORM } from './addresses.ts';
import { checkbox, checkboxGroup, multiselect, radioGroup, segmented, select, toggle } from './choice.ts';
import { type Control, type ControlRenderer, notes } from './control.ts';
import { numberField, slider, stepper } from './number.ts';
import { tagInput, textarea, textInput } from './text.ts';

/** One kind of control. */
interface ControlKind {
  readonly render: ControlRenderer;
  /** `inside`: the control renders its own label; `group`: it names several inputs; `label`: one input. */
  readonly labelled: 'label' | 'group' | 'inside';
}

/** The input types of the catalogue, by name. */
const CONTROLS: Readonly<Record<string, ControlKind>> = {
  'text-input': { render: textInput, labelled: 'label' },
  textarea: { render: textarea, labelled: 'label' },
  'number-field': { render: numberField, labelled: 'label' },
  slider: { render: slider, labelled: 'label' },
  stepper: { render: stepper, labelled: 'label' },
  toggle: { render: toggle, labelled: 'inside' },
  checkbox: { render: checkbox, labelled: 'inside' },
  select: { render: select, labelled: 'label' },
  'radio-group': { render: radioGroup, labelled: 'group' },
  segmented: { render: segmented, labelled: 'group' },
  multiselect: { render: multiselect, labelled: 'label' },
  'checkbox-group': { render: checkboxGroup, labelled: 'group' },
  'tag-input': { render: tagInput, labelled: 'label' },
};

/** What sets a value of a type when no known control is named (dashboard details 9.4). */
const BY_TYPE: Readonly<Record<string, string>> = {
  number: 'number-field',
  integer: 'number-field',
  boolean: 'toggle',
  enum: 'select',
  array: 'tag-input',
  object: 'textarea',
};

/** Name of the control that stands for a widget type of a value type: itself, or the one for the type. */
export function controlName(widget: string, type: string | undefined): string {
  return Object.hasOwn(CONTROLS, widget) ? widget : (BY_TYPE[type ?? ''] ?? 'text-input');
}

/** A control with its label above, its help and its error below. */
export function field(name: string, control: Control): Markup {
  const kind = CONTROLS[name] ?? (CONTROLS['text-input'] as ControlKind);
  const apply = control.form === SETTINGS_FORM ? '' : applyButton(control.form);
  return html`<div class="field f-${name}">${labelOf(kind, control)}${kind.render(control)}${notes(control)}${apply}</div>`;
}

/** Sends the controls of a form where no script does it at once. */
export function applyButton(form = SETTINGS_FORM): Markup {
  return html`<noscript><button class="btn" type="submit" form="${form}">Apply</button></noscript>`;
}

function labelOf({ labelled }: ControlKind, { id, label }: Control): Markup | '' {
  if (labelled === 'inside') return '';
  if (labelled === 'group') return html`<span class="label" id="${id}-label">${label}</span>`;
  return html`<label for="${id}" id="${id}-label">${label}</label>`;
}
