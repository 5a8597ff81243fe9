import { createHash } from 'node:crypto';

const MOST = 200;
const HASH_DIGITS = 16;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const HEX = /^[0-9a-f]+$/i;
const MIN_HEX = 8;
const DIGITS = /\d+/g;

/** A word without the query of its address, which differs from letter to letter. */
function withoutQuery(word: string): string {
  const address = word.indexOf('://');
  if (address === -1) return word;
  const length = word.slice(address).search(/[?#]/);
  return length === -1 ? word : `${word.slice(0, address + length)}?…`;
}

/** Hex digits that are more than a word: one of them is a number. */
function isHex(word: string): boolean {
  return word.length >= MIN_HEX && HEX.test(word) && /\d/.test(word);
}

/** The form of an error text: what differs from letter to letter is replaced. */
export function errorForm(error: string): string {
  return error
    .replace(/\S+/g, withoutQuery)
    .replace(UUID, '<id>')
    .replace(/\w+/g, word => (isHex(word) ? '<hex>' : word))
    .replace(DIGITS, '<n>')
    .slice(0, MOST);
}

/** The group of letters whose errors have one form: 16 hex digits. Source: console, section 7.7. */
export function errorGroup(error: string): string {
  return createHash('sha256').update(errorForm(error)).digest('hex').slice(0, HASH_DIGITS);
}
