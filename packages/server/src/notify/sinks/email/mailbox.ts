// RFC 5322, section 3.4, without comments, folding and obsolete forms; RFC 6532 admits other letters.
const ATEXT = String.raw`[A-Za-z0-9!#$%&'*+\-/=?^_\u0060{|}~\u0080-\u{10ffff}]`;
const DOT_ATOM = `${ATEXT}+(?:\\.${ATEXT}+)*`;
const QUOTED = String.raw`"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"`;
const DOMAIN_LITERAL = String.raw`\[[^\[\]\\\s\p{Cc}]+\]`;
const ADDRESS = `(?:${DOT_ATOM}|${QUOTED})@(?:${DOT_ATOM}|${DOMAIN_LITERAL})`;
const PHRASE = `(?:${ATEXT}|[ .]|${QUOTED})*`;
/** Exported for the test that shows it linear. */
export const MAILBOX = new RegExp(`^(?:(${ADDRESS})|${PHRASE}<(${ADDRESS})>)$`, 'u');

/** RFC 5321, section 4.5.3.1. */
const MAX_LOCAL_BYTES = 64;
const MAX_ADDRESS_BYTES = 254;

/**
 * The bare address of one RFC 5322 mailbox: `a@example.com`, `Ann Other <a@example.com>`, `"A, B" <a@example.com>`.
 * @returns `undefined` when the text is not exactly one mailbox.
 */
export function mailboxAddress(text: string): string | undefined {
  if (text.length > 1000) return undefined;
  const match = MAILBOX.exec(text.trim());
  const address = match?.[1] ?? match?.[2];
  if (address === undefined || Buffer.byteLength(address) > MAX_ADDRESS_BYTES) return undefined;
  const local = address.slice(0, address.lastIndexOf('@'));
  return Buffer.byteLength(local) > MAX_LOCAL_BYTES ? undefined : address;
}
