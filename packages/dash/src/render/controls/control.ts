import { display } from '../../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../../document/json.ts';
import type { ErrorEnvelope } from '../../errors.ts';
import { textMember } from '../context.ts';
import { html, type Markup } from '../markup.ts';

/** One control: what it sets, what it shows now, and how it is described. */
export interface Control {
  /** Unique on the page. */
  readonly id: string;
  /** What the control sends its value as: an override address, name of a variable or `<node>.<field>`. */
  readonly address: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly disabled: boolean;
  readonly value: Json;
  /** Config of a widget, or constraints of a generated control. */
  readonly config: JsonObject;
  readonly error: ErrorEnvelope | undefined;
  /** Pointer of the field in a changeset, for controls of a configurator. */
  readonly pointer: string | undefined;
  readonly type: string | undefined;
  /** Id of the form that sends it where no script does. */
  readonly form: string;
}

/** Renders what a person operates; the label and everything around it is rendered by {@link field}. */
export type ControlRenderer = (control: Control) => Markup;

/** How a control is named and described. */
export function naming({ id, description, error }: Control): Record<string, string | undefined> {
  const parts = [
    ...(description === undefined ? [] : [`${id}-help`]),
    ...(error === undefined ? [] : [`${id}-fault`]),
  ];
  return {
    'aria-describedby': parts.length === 0 ? undefined : parts.join(' '),
    'aria-invalid': error === undefined ? undefined : 'true',
  };
}

/** Attributes of a native control. */
export function native(control: Control): Record<string, string | boolean | undefined> {
  const { id, address, disabled, pointer, type, form } = control;
  return {
    id,
    name: address,
    form,
    disabled,
    'data-pointer': pointer,
    'data-type': pointer === undefined ? undefined : type,
    ...naming(control),
  };
}

/** The help and the error of a control. */
export function notes({ id, description, error }: Control): Markup {
  const help =
    description === undefined ? '' : html`<span class="help" id="${id}-help">${description}</span>`;
  const message =
    error === undefined
      ? ''
      : html`<span class="fault small" id="${id}-fault"><span class="code">${error.code}</span><span>${display(error.message)}</span></span>`;
  return html`${help}${message}`;
}

/** A choice of a control. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

/** The options of a config in the order that it asks for. */
export function optionsOf({ config }: Control): Option[] {
  const declared = ownMember(config, 'options') ?? ownMember(config, 'enum');
  const options = (Array.isArray(declared) ? declared : []).map(optionOf);
  const sort = textMember(config, 'sort');
  const by = sort === 'label' || sort === 'value' ? sort : undefined;
  return by === undefined ? options : options.sort((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0));
}

function optionOf(option: Json): Option {
  if (!isJsonObject(option)) return { value: String(option), label: String(option) };
  const value = textMember(option, 'value') ?? '';
  return { value, label: textMember(option, 'label') ?? value };
}

/** Texts of an array value. */
export function textsOf(value: Json): string[] {
  return Array.isArray(value)
    ? value.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
    : [];
}

/** A value in a text field. */
export function fieldText(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}
