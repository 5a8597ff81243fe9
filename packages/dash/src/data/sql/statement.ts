import { display } from '../../document/display.ts';
import { DashError } from '../../errors.ts';

/** Statements that only read begin with one of these words. Any other could end the transaction, or hang a cursor. */
const READING: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE']);

/** @throws DashError QUERY_INVALID for a statement that does not begin as a reading one does (page and review 5.5). */
export function requireReading(text: string): void {
  if (text.includes('\0')) {
    throw new DashError('QUERY_INVALID', 'The statement must not contain the character U+0000.', {
      member: 'text',
    });
  }
  const word = firstWord(text);
  if (READING.has(word.toUpperCase())) return;
  const shown = word === '' ? 'no word' : `"${display(word)}"`;
  const message = `The statement must begin with SELECT, WITH, VALUES or TABLE; got ${shown}.`;
  throw new DashError('QUERY_INVALID', message, { member: 'text' });
}

/** The first word after blanks, comments and opening brackets. */
function firstWord(text: string): string {
  let at = 0;
  for (;;) {
    if (text.startsWith('--', at)) at = endOfLine(text, at);
    else if (text.startsWith('/*', at)) at = endOfComment(text, at);
    else if (/[\s(]/.test(text.charAt(at))) at++;
    else break;
  }
  return /^\w*/.exec(text.slice(at, at + 100))?.[0] ?? '';
}

function endOfLine(text: string, from: number): number {
  const end = /[\r\n]/g;
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

/** Comments of SQL stand in each other. */
function endOfComment(text: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let depth = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}
