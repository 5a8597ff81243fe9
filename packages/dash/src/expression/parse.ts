import { display } from '../document/display.ts';
import { ExpressionError } from './failure.ts';
import { type Token, tokenize } from './tokenize.ts';

export type BinaryOperator =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'not in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**';

/** Syntax tree of an expression; `offset` is the position in the source of the part that can fail. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: null | boolean | number | string }
  | { readonly kind: 'name'; readonly name: string; readonly offset: number }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly offset: number;
    }
  | { readonly kind: 'index'; readonly of: Expression; readonly key: Expression; readonly offset: number }
  | { readonly kind: 'unary'; readonly op: '-' | 'not'; readonly of: Expression; readonly offset: number }
  | {
      readonly kind: 'binary';
      readonly op: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly offset: number;
    }
  | {
      readonly kind: 'logic';
      readonly op: 'and' | 'or' | '??';
      readonly left: Expression;
      readonly right: Expression;
      readonly offset: number;
    }
  | {
      readonly kind: 'choice';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
      readonly offset: number;
    };

const MAX_SOURCE = 2_000;
const MAX_NESTING = 64;

/**
 * Parses an expression by the grammar of dashboard details 6.4.
 * @throws ExpressionError with the offset of the error; also for a source over 2,000 characters or nesting over 64.
 */
export function parseExpression(source: string): Expression {
  if (source.length > MAX_SOURCE) throw new ExpressionError(`longer than ${MAX_SOURCE} characters`);
  return new Parser(tokenize(source)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#expression();
    if (this.#token.kind !== 'end') throw this.#unexpected();
    return expression;
  }

  #expression(): Expression {
    return this.#nested(() => {
      const test = this.#logic('or', () =>
        this.#logic('and', () => this.#logic('??', () => this.#comparison())),
      );
      const { offset } = this.#token;
      if (!this.#accept('?')) return test;
      const yes = this.#expression();
      this.#expect(':');
      return { kind: 'choice', test, yes, no: this.#expression(), offset };
    });
  }

  #logic(op: 'and' | 'or' | '??', operand: () => Expression): Expression {
    const spelling = { and: '&&', or: '||', '??': '??' }[op];
    let left = operand();
    for (let { offset } = this.#token; this.#accept(op) || this.#accept(spelling); { offset } = this.#token) {
      left = { kind: 'logic', op, left, right: operand(), offset };
    }
    return left;
  }

  #comparison(): Expression {
    const left = this.#sum();
    const { offset } = this.#token;
    const op = this.#comparisonOperator();
    return op === undefined ? left : { kind: 'binary', op, left, right: this.#sum(), offset };
  }

  #comparisonOperator(): BinaryOperator | undefined {
    if (this.#is('not') && this.#tokens[this.#position + 1]?.text === 'in') {
      this.#position += 2;
      return 'not in';
    }
    return (['==', '!=', '<=', '>=', '<', '>', 'in'] as const).find(op => this.#accept(op));
  }

  #sum(): Expression {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/', '%'], () => this.#unary()));
  }

  #chain(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const { offset } = this.#token;
      const op = operators.find(candidate => this.#accept(candidate));
      if (op === undefined) return left;
      left = { kind: 'binary', op, left, right: operand(), offset };
    }
  }

  #unary(): Expression {
    const { offset } = this.#token;
    const op = this.#accept('-') ? '-' : this.#accept('!') || this.#accept('not') ? 'not' : undefined;
    if (op !== undefined) return this.#nested(() => ({ kind: 'unary', op, of: this.#unary(), offset }));
    const left = this.#postfix();
    const at = this.#token.offset;
    if (!this.#accept('**')) return left;
    return this.#nested(() => ({ kind: 'binary', op: '**', left, right: this.#unary(), offset: at }));
  }

  #postfix(): Expression {
    let of = this.#primary();
    for (;;) {
      const { offset } = this.#token;
      if (this.#accept('.')) {
        of = { kind: 'index', of, key: { kind: 'literal', value: this.#take('name').text }, offset };
      } else if (this.#accept('[')) {
        const key = this.#expression();
        this.#expect(']');
        of = { kind: 'index', of, key, offset };
      } else return of;
    }
  }

  #primary(): Expression {
    const { kind, text, offset, value } = this.#token;
    if (kind === 'number' || kind === 'text') {
      this.#position++;
      return { kind: 'literal', value: value ?? null };
    }
    for (const [word, constant] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.#accept(word)) return { kind: 'literal', value: constant };
    }
    if (this.#accept('[')) return { kind: 'list', items: this.#list(']') };
    if (this.#accept('(')) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    this.#take('name');
    return this.#accept('(')
      ? { kind: 'call', name: text, args: this.#list(')'), offset }
      : { kind: 'name', name: text, offset };
  }

  #list(end: string): Expression[] {
    const items: Expression[] = [];
    if (this.#accept(end)) return items;
    do items.push(this.#expression());
    while (this.#accept(','));
    this.#expect(end);
    return items;
  }

  #nested<T>(parse: () => T): T {
    this.#depth++;
    if (this.#depth > MAX_NESTING)
      throw new ExpressionError(`nested deeper than ${MAX_NESTING}`, this.#token.offset);
    const result = parse();
    this.#depth--;
    return result;
  }

  get #token(): Token {
    return this.#tokens[this.#position] as Token;
  }

  #is(text: string): boolean {
    const { kind } = this.#token;
    return (kind === 'sign' || kind === 'word') && this.#token.text === text;
  }

  #accept(text: string): boolean {
    const matches = this.#is(text);
    if (matches) this.#position++;
    return matches;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(`"${text}"`);
  }

  #take(kind: Token['kind']): Token {
    const token = this.#token;
    if (token.kind !== kind) throw this.#unexpected(kind === 'name' ? 'a value' : kind);
    this.#position++;
    return token;
  }

  #unexpected(wanted = 'the end'): ExpressionError {
    const token = this.#token.kind === 'end' ? 'the end' : `"${display(this.#token.text)}"`;
    return new ExpressionError(`expected ${wanted}, found ${token}`, this.#token.offset);
  }
}
