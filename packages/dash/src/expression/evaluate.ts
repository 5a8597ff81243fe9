import { display } from '../document/display.ts';
import { isJsonObject, type Json } from '../document/json.ts';
import { ExpressionError } from './failure.ts';
import { FUNCTIONS } from './functions.ts';
import { equal, requireLength, Steps } from './limits.ts';
import type { BinaryOperator, Expression } from './parse.ts';

/** Value of a name; called only for names that {@link namesIn} lists. */
export type VariableNames = (name: string) => Json;

/** All names that an expression mentions, each once, in order of first mention. */
export function namesIn(expression: Expression): string[] {
  const names = new Set<string>();
  visit(expression, part => {
    if (part.kind === 'name') names.add(part.name);
  });
  return [...names];
}

/** Checks calls of functions. @throws ExpressionError for an unknown function */
export function requireFunctions(expression: Expression): void {
  visit(expression, part => {
    if (part.kind !== 'call' || FUNCTIONS.has(part.name)) return;
    throw new ExpressionError(`unknown function "${part.name}"`, part.offset);
  });
}

/**
 * Evaluates an expression: no host access, no clock, at most 10,000 steps (dashboard details 6.4).
 * @throws ExpressionError
 */
export function evaluate(expression: Expression, names: VariableNames): Json {
  return new Evaluation(names).value(expression);
}

class Evaluation {
  readonly #steps = new Steps();
  readonly #names: VariableNames;

  constructor(names: VariableNames) {
    this.#names = names;
  }

  value(part: Expression): Json {
    this.#steps.take();
    if (part.kind === 'literal') return part.value;
    if (part.kind === 'name') return this.#names(part.name);
    if (part.kind === 'list') return part.items.map(item => this.value(item));
    return at(part.offset, () => this.#compute(part));
  }

  #compute(part: Exclude<Expression, { kind: 'literal' | 'name' | 'list' }>): Json {
    switch (part.kind) {
      case 'call': {
        const args = part.args.map(arg => this.value(arg));
        return finite(FUNCTIONS.get(part.name)?.(args, this.#steps) ?? null);
      }
      case 'index':
        return member(this.value(part.of), this.value(part.key));
      case 'unary':
        return part.op === 'not' ? !truth(this.value(part.of)) : finite(-number(this.value(part.of)));
      case 'choice':
        return this.value(truth(this.value(part.test)) ? part.yes : part.no);
      case 'logic':
        return this.#logic(part);
      case 'binary':
        return finite(binary(part.op, this.value(part.left), this.value(part.right), this.#steps));
    }
  }

  #logic({ op, left, right }: Extract<Expression, { kind: 'logic' }>): Json {
    const first = this.value(left);
    if (op === '??') return first ?? this.value(right);
    if (truth(first) === (op === 'or')) return op === 'or';
    return truth(this.value(right));
  }
}

function binary(op: BinaryOperator, left: Json, right: Json, steps: Steps): Json {
  switch (op) {
    case '==':
      return equal(left, right, steps);
    case '!=':
      return !equal(left, right, steps);
    case 'in':
      return within(left, right, steps);
    case 'not in':
      return !within(left, right, steps);
    case '+':
      return add(left, right, steps);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(op, left, right, steps);
    default:
      return arithmetic(op, number(left), number(right));
  }
}

function arithmetic(op: '-' | '*' | '/' | '%' | '**', left: number, right: number): number {
  if ((op === '/' || op === '%') && right === 0) throw new ExpressionError('division by zero');
  if (op === '%' && !(Number.isInteger(left) && Number.isInteger(right)))
    throw new ExpressionError('% needs integers');
  const results = {
    '-': left - right,
    '*': left * right,
    '/': left / right,
    '%': left % right,
    '**': left ** right,
  };
  return results[op];
}

function add(left: Json, right: Json, steps: Steps): Json {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (typeof left === 'string' && typeof right === 'string') {
    requireLength(left.length + right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    requireLength(left.length + right.length);
    steps.read(left.length + right.length);
    return [...left, ...right];
  }
  throw new ExpressionError('+ needs two numbers, two texts or two arrays');
}

function ordered(op: '<' | '<=' | '>' | '>=', left: Json, right: Json, steps: Steps): boolean {
  const comparable =
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string');
  if (!comparable) throw new ExpressionError(`${op} needs two numbers or two texts`);
  if (typeof left === 'string') steps.read(left.length);
  return { '<': left < right, '<=': left <= right, '>': left > right, '>=': left >= right }[op];
}

function within(item: Json, holder: Json, steps: Steps): boolean {
  if (Array.isArray(holder)) {
    return holder.some(candidate => {
      steps.take();
      return equal(item, candidate, steps);
    });
  }
  if (typeof item === 'string' && typeof holder === 'string') {
    steps.search(holder, item);
    return holder.includes(item);
  }
  if (typeof item === 'string' && isJsonObject(holder)) return Object.hasOwn(holder, item);
  throw new ExpressionError('in needs an array, or text in a text or an object');
}

function member(of: Json, key: Json): Json {
  if (Array.isArray(of)) {
    if (typeof key === 'number' && Number.isInteger(key) && key >= 0 && key < of.length)
      return of[key] as Json;
    throw new ExpressionError(`no element ${display(JSON.stringify(key) ?? '')}`);
  }
  if (!isJsonObject(of) || typeof key !== 'string')
    throw new ExpressionError('only objects and arrays have members');
  return Object.hasOwn(of, key) ? (of[key] as Json) : null;
}

function truth(value: Json): boolean {
  if (typeof value === 'boolean') return value;
  throw new ExpressionError('needs a boolean');
}

function number(value: Json): number {
  if (typeof value === 'number') return value;
  throw new ExpressionError('needs numbers');
}

/** Refuses infinite results and NaN, and makes −0 to 0. */
function finite(value: Json): Json {
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) throw new ExpressionError('result is not finite');
  return value + 0;
}

/** Adds the position in the source to a failure. */
function at<T>(offset: number, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof ExpressionError) || error.offset !== undefined) throw error;
    throw new ExpressionError(error.message, offset);
  }
}

function visit(part: Expression, see: (part: Expression) => void): void {
  const waiting = [part];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    see(next);
    waiting.push(...partsOf(next).reverse());
  }
}

function partsOf(part: Expression): Expression[] {
  switch (part.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'list':
      return [...part.items];
    case 'call':
      return [...part.args];
    case 'index':
      return [part.of, part.key];
    case 'unary':
      return [part.of];
    case 'choice':
      return [part.test, part.yes, part.no];
    default:
      return [part.left, part.right];
  }
}
