import { isRecord } from '@msg/foundation/json';

/** A word: addresses and URLs have no white space and none of these characters around them. */
const WORD = /[^\s"'<>,;()]+/g;
const SCHEME_END = '://';

/** `a…@example.com` */
function maskedAddress(address: string): string {
  const [first = ''] = address;
  return `${first}…${address.slice(address.lastIndexOf('@'))}`;
}

/** The origin of a URL; nothing of one that has none. */
function maskedUrl(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null';
  return origin === 'null' ? '…' : origin;
}

function maskedWord(word: string): string {
  if (word.includes(SCHEME_END)) return maskedUrl(word);
  return word.includes('@') ? maskedAddress(word) : word;
}

/** A text in which addresses of mailboxes are shortened and URLs are cut to their origin. */
export function maskedText(text: string): string {
  return text.replace(WORD, maskedWord);
}

/** A text of a recipient: a URL, the address of a mailbox, or anything else, of which only the first character stays. */
function maskedMember(text: string): string {
  const masked = maskedText(text);
  if (masked !== text || text === '') return masked;
  const [first = ''] = text;
  return `${first}…`;
}

/** A recipient whose texts are masked; its members keep their names. */
export function maskedRecipient(recipient: unknown): unknown {
  if (typeof recipient === 'string') return maskedMember(recipient);
  if (Array.isArray(recipient)) return recipient.map(maskedRecipient);
  if (!isRecord(recipient)) return recipient;
  return Object.fromEntries(Object.entries(recipient).map(([name, value]) => [name, maskedRecipient(value)]));
}
