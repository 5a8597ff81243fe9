import { ownMember } from '../../document/json.ts';
import { attributes, html, type Markup } from '../markup.ts';
import { type Control, type ControlRenderer, fieldText, native } from './control.ts';

/** Bounds of a number; any step where none is declared. */
function bounds({ config, type }: Control): Record<string, number | string | undefined> {
  const number = (name: string): number | undefined => {
    const value = ownMember(config, name);
    return typeof value === 'number' ? value : undefined;
  };
  return { min: number('min'), max: number('max'), step: number('step') ?? (type === 'integer' ? 1 : 'any') };
}

const numberAttributes = (control: Control): Markup =>
  attributes({ ...native(control), ...bounds(control), value: fieldText(control.value) });

/** A number in a field. */
export const numberField: ControlRenderer = control =>
  html`<input class="input num" type="number" inputmode="decimal"${numberAttributes(control)}>`;

/** A number on a scale, with its value beside it. */
export const slider: ControlRenderer = control =>
  html`<span class="slider"><input type="range"${numberAttributes(control)}><output for="${control.id}">${fieldText(control.value)}</output></span>`;

/** A number between two buttons. */
export const stepper: ControlRenderer = control =>
  html`<span class="stepper"><button class="btn only js-only" type="button" data-act="step" data-by="-1"${attributes({ 'aria-label': `Less ${control.label}`, disabled: control.disabled })}>−</button><input class="input num" type="number" inputmode="decimal"${numberAttributes(control)}><button class="btn only js-only" type="button" data-act="step" data-by="1"${attributes({ 'aria-label': `More ${control.label}`, disabled: control.disabled })}>+</button></span>`;
