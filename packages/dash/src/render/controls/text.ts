import { textMember } from '../context.ts';
import { attributes, html } from '../markup.ts';
import { type ControlRenderer, fieldText, native, textsOf } from './control.ts';

/** One line of text. */
export const textInput: ControlRenderer = control =>
  html`<input class="input" type="text" autocomplete="off"${attributes({
    ...native(control),
    value: fieldText(control.value),
    placeholder: textMember(control.config, 'placeholder'),
  })}>`;

/** Several lines of text. The line end after the tag is not part of the value. */
export const textarea: ControlRenderer = control =>
  html`<textarea class="input" rows="3"${attributes({
    ...native(control),
    placeholder: textMember(control.config, 'placeholder'),
  })}>
${fieldText(control.value)}</textarea>`;

/** A list of texts: as JSON in a text field, which the script of the page turns into chips. */
export const tagInput: ControlRenderer = control =>
  html`<input class="input" type="text" autocomplete="off" data-tags${attributes({
    ...native(control),
    value: JSON.stringify(textsOf(control.value)),
    placeholder: textMember(control.config, 'placeholder'),
  })}>`;
