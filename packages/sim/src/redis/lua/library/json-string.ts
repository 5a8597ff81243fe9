/** A decoded string, where it ends, and what is wrong there. */
interface Decoded {
  readonly value: string;
  readonly end: number;
  readonly fault?: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
};

/** A string of JSON from behind its quotation mark; raw control characters are taken as they are. */
export function decodeString(text: string, start: number): Decoded {
  let value = '';
  let at = start;
  for (;;) {
    const byte = text[at] ?? '\0';
    if (byte === '"') return { value, end: at + 1 };
    if (byte === '\0') return { value, end: at, fault: 'unexpected end of string' };
    if (byte !== '\\') {
      value += byte;
      at++;
      continue;
    }
    const letter = text[at + 1] ?? '\0';
    if (letter === 'u') {
      const [bytes, length] = unicodeEscape(text, at);
      if (length === 0) return { value, end: at, fault: 'invalid unicode escape code' };
      value += bytes;
      at += length;
      continue;
    }
    const escaped = ESCAPES[letter];
    if (escaped === undefined) return { value, end: at, fault: 'invalid escape code' };
    value += escaped;
    at += 2;
  }
}

/** The bytes of a `\u` escape, or of a pair of them, and its length; 0 when it is not one. */
function unicodeEscape(text: string, at: number): readonly [string, number] {
  const unit = fourDigits(text, at + 2);
  if (unit === undefined) return ['', 0];
  if ((unit & 0xf800) !== 0xd800) return [utf8(unit), 6];
  if ((unit & 0x400) !== 0 || text.slice(at + 6, at + 8) !== '\\u') return ['', 0];
  const low = fourDigits(text, at + 8);
  if (low === undefined || (low & 0xfc00) !== 0xdc00) return ['', 0];
  return [utf8((((unit & 0x3ff) << 10) | (low & 0x3ff)) + 0x10000), 12];
}

function fourDigits(text: string, at: number): number | undefined {
  const digits = text.slice(at, at + 4);
  return /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

function utf8(codepoint: number): string {
  const tail = (shift: number) => String.fromCharCode(((codepoint >> shift) & 0x3f) | 0x80);
  if (codepoint <= 0x7f) return String.fromCharCode(codepoint);
  if (codepoint <= 0x7ff) return String.fromCharCode((codepoint >> 6) | 0xc0) + tail(0);
  if (codepoint <= 0xffff) return String.fromCharCode((codepoint >> 12) | 0xe0) + tail(6) + tail(0);
  return String.fromCharCode((codepoint >> 18) | 0xf0) + tail(12) + tail(6) + tail(0);
}
