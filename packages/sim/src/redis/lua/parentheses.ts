import luaparse, { type Expression } from 'luaparse';

/** Behind these a parenthesis calls; behind all else it groups. */
const CALLED = new Set(['Identifier', ')', ']', '}', 'StringLiteral']);
/** Types of tokens in luaparse. */
const END_OF_FILE = 1;
const STRING_LITERAL = 2;
const KEYWORD = 4;
const IDENTIFIER = 8;

/** The ranges of all expressions in parentheses, which give one value: the tree of the parser does not tell. */
export function parenthesisedRanges(source: string): ReadonlySet<string> {
  const lexer = luaparse.parse('', {
    wait: true,
    luaVersion: '5.1',
    encodingMode: 'pseudo-latin1',
    comments: false,
  });
  lexer.write(source);
  const ranges = new Set<string>();
  const open: (number | undefined)[] = [];
  let before = '';
  let end = 0;
  let isFirst = false;
  for (;;) {
    const token = lexer.lex();
    if (token.type === END_OF_FILE) return ranges;
    if (isFirst) open[open.length - 1] = token.range[0];
    isFirst = token.value === '(' && token.type > IDENTIFIER && !CALLED.has(before);
    if (token.value === '(' && token.type > IDENTIFIER) open.push(undefined);
    if (token.value === ')' && token.type > IDENTIFIER) ranges.add(`${open.pop()}:${end}`);
    before = kindOf(token);
    end = token.range[1];
  }
}

function kindOf({ type, value }: luaparse.Token): string {
  if (type === STRING_LITERAL) return 'StringLiteral';
  // The parameters of a function without a name.
  if (type === IDENTIFIER || (type === KEYWORD && value === 'function')) return 'Identifier';
  return String(value);
}

/** The range of an expression, as {@link parenthesisedRanges} writes it. */
export function rangeOf(expression: Expression): string {
  const { range } = expression as { readonly range?: readonly [number, number] };
  return `${range?.[0]}:${range?.[1]}`;
}
