import type { Bytes } from './reply.ts';

const ESCAPES: Readonly<Record<string, Bytes>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };
const BLANKS = ' \t\n\v\f\r';

/** Words of an inline command; quoted ones may hold anything. Undefined when a quote does not end with its word. */
export function inlineWords(line: Bytes): readonly Bytes[] | undefined {
  const words: Bytes[] = [];
  let at = 0;
  for (;;) {
    while (isBlank(line[at])) at++;
    if (at >= line.length) return words;
    const word = wordAt(line, at);
    if (word === undefined) return undefined;
    words.push(word.text);
    at = word.end;
  }
}

interface Word {
  readonly text: Bytes;
  readonly end: number;
}

/** Quotes may begin within a word, and end it. */
function wordAt(line: Bytes, begin: number): Word | undefined {
  let text = '';
  let at = begin;
  for (; at < line.length && !isBlank(line[at]); at++) {
    const sign = line[at];
    if (sign === '"' || sign === "'") {
      const quoted = quotedAt(line, at);
      return quoted && { text: text + quoted.text, end: quoted.end };
    }
    text += sign;
  }
  return { text, end: at };
}

function quotedAt(line: Bytes, begin: number): Word | undefined {
  const quote = line[begin];
  let text = '';
  for (let at = begin + 1; at < line.length; at++) {
    const sign = line[at];
    if (sign === quote) {
      const end = at + 1;
      return end >= line.length || isBlank(line[end]) ? { text, end } : undefined;
    }
    if (sign !== '\\') text += sign;
    else if (quote === "'" && line[at + 1] !== "'") text += sign;
    else {
      const escaped = quote === "'" ? { text: "'", length: 1 } : escapeAt(line, at + 1);
      text += escaped.text;
      at += escaped.length;
    }
  }
  return undefined;
}

/** What follows a backslash within double quotes. */
function escapeAt(line: Bytes, at: number): { readonly text: Bytes; readonly length: number } {
  const hexadecimal = line.slice(at, at + 3);
  if (/^x[\da-fA-F]{2}$/.test(hexadecimal))
    return { text: String.fromCharCode(Number.parseInt(hexadecimal.slice(1), 16)), length: 3 };
  const sign = line[at] ?? '\\';
  return { text: ESCAPES[sign] ?? sign, length: 1 };
}

function isBlank(sign: string | undefined): boolean {
  return sign !== undefined && BLANKS.includes(sign);
}
