import { ExpressionError } from './failure.ts';

export interface Token {
  /** `word` is a reserved name such as `and`; `sign` an operator or bracket. */
  readonly kind: 'number' | 'text' | 'name' | 'word' | 'sign' | 'end';
  readonly text: string;
  readonly offset: number;
  readonly value?: number | string;
}

/** Reserved words of the language (dashboard details 1.2). */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'and',
  'or',
  'not',
  'in',
]);

const BLANKS = /[ \t\r\n]*/y;
const NUMBER = /(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]{0,63}/y;
const SIGN = /\*\*|\?\?|\|\||&&|==|!=|<=|>=|[?:<>+\-*/%!.,()[\]]/y;
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy;

/** @throws ExpressionError for a character or text literal that the language does not know. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let offset = match(BLANKS, source, 0).length;
  while (offset < source.length) {
    const token = next(source, offset);
    tokens.push(token);
    offset += token.text.length;
    offset += match(BLANKS, source, offset).length;
  }
  tokens.push({ kind: 'end', text: '', offset });
  return tokens;
}

function next(source: string, offset: number): Token {
  const number = match(NUMBER, source, offset);
  if (number !== '') return { kind: 'number', text: number, offset, value: finite(number, offset) };
  const name = match(NAME, source, offset);
  if (name !== '') return { kind: RESERVED_WORDS.has(name) ? 'word' : 'name', text: name, offset };
  const literal = match(TEXT, source, offset);
  if (literal !== '') return { kind: 'text', text: literal, offset, value: unescaped(literal, offset) };
  const sign = match(SIGN, source, offset);
  if (sign !== '') return { kind: 'sign', text: sign, offset };
  const character = JSON.stringify(String.fromCodePoint(source.codePointAt(offset) ?? 0));
  throw new ExpressionError(`unexpected ${character}`, offset);
}

/** The text of a sticky pattern at `offset`; empty when it does not match there. */
function match(pattern: RegExp, source: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(source)?.[0] ?? '';
}

function finite(text: string, offset: number): number {
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new ExpressionError('number out of range', offset);
}

/** JSON escapes plus `\'`, in either kind of quotes. */
function unescaped(literal: string, offset: number): string {
  const inner = literal
    .slice(1, -1)
    .replaceAll(/\\.|"/gs, part => (part === "\\'" ? "'" : part === '"' ? '\\"' : part));
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    throw new ExpressionError('bad text literal', offset);
  }
}
