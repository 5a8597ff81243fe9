import { raw, html as template } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** HTML whose parts are escaped. */
export type Markup = HtmlEscapedString;

/** What may stand in a template: text is escaped, markup is not; null, undefined and booleans are left out. */
export type Content = Markup | string | number | boolean | null | undefined | readonly Content[];

/** HTML from a template. Nothing that is put in is a promise, so neither is the result. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return template(strings, ...values) as Markup;
}

/** HTML that was made elsewhere from escaped parts, such as the drawing of a chart. */
export const trusted = (text: string): Markup => raw(text) as Markup;

export type AttributeValue = string | number | boolean | null | undefined;

/** Attributes by name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Attributes with a blank before each; true stands for one without a value, false, null and undefined for none. */
export function attributes(values: Attributes): Markup {
  let text = '';
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue;
    text += value === true ? ` ${name}` : ` ${name}="${escaped(String(value))}"`;
  }
  return trusted(text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '');
}
