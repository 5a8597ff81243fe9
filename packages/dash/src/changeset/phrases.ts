import { isJsonObject, type Json } from '../document/json.ts';
import { differingWords, type WordPart } from './differing-words.ts';

/** `“old” to “new”`. */
export function quotedTransition(from: Json | undefined, to: Json | undefined): WordPart[] {
  return [
    ...plain('“'),
    { text: display(from), mark: 'was' },
    ...plain('” to “'),
    { text: display(to), mark: 'is' },
    ...plain('”'),
  ];
}

/** `old → new` with the words that differ marked; `none` where there is no value. */
export function transition(from: Json | undefined, to: Json | undefined): WordPart[] {
  const [before, after] = [entriesOf(from), entriesOf(to)];
  if (before !== undefined && after !== undefined && before !== after) {
    return [{ text: before, mark: 'was' }, ...plain(' → '), { text: after, mark: 'is' }];
  }
  const { was, is } = differingWords(
    from === undefined ? 'none' : text(from),
    to === undefined ? 'none' : text(to),
  );
  return [...was, ...plain(' → '), ...is];
}

/** A list of objects by its length: what is in its entries says less. */
function entriesOf(value: Json | undefined): string | undefined {
  if (!Array.isArray(value) || !value.every(isJsonObject)) return undefined;
  return value.length === 1 ? '1 entry' : `${value.length} entries`;
}

/** Words without a mark. */
export function plain(value: string): WordPart[] {
  return [{ text: value }];
}

/** A value in a sentence: at most 80 characters. */
export function display(value: Json | undefined): string {
  const whole = value === undefined ? 'none' : text(value);
  return whole.length <= 80 ? whole : `${whole.slice(0, 79).toWellFormed()}…`;
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** With a capital at its start. */
export function capital(value: string): string {
  return value.slice(0, 1).toUpperCase() + value.slice(1);
}
