import type { Expression, Identifier, Statement } from 'luaparse';
import { NotTranslated, type Site } from './failure.ts';
import { calledName, nameOf, type VariableKind } from './names.ts';
import { rangeOf } from './parentheses.ts';

/** A function that is being written: its temporary variables, and whether it takes `...`. */
interface FunctionFrame {
  readonly temporaries: string[];
  readonly isVararg: boolean;
  /** How its first zero is written: Lua keeps one constant for 0 and -0. */
  zero?: string;
}

interface Variable {
  readonly name: string;
  readonly depth: number;
}

/** What a translation has read so far: scopes of variables, places that can fail. */
export class Context {
  readonly file: string;
  readonly sites: Site[];
  /** Globals of the library that the script uses. */
  readonly globals: Set<string>;
  readonly #scopes: Map<string, Variable>[];
  readonly #frames: FunctionFrame[];
  readonly #parenthesised: ReadonlySet<string>;
  #serial: number;
  /** Translates the body of a function: the statements are in a file of their own. */
  readonly writeBlock: (context: Context, body: readonly Statement[]) => string;

  constructor(
    file: string,
    parenthesised: ReadonlySet<string>,
    writeBlock: (context: Context, body: readonly Statement[]) => string,
  ) {
    this.file = file;
    this.#parenthesised = parenthesised;
    this.sites = [];
    this.globals = new Set();
    this.#scopes = [];
    this.#frames = [];
    this.#serial = 0;
    this.writeBlock = writeBlock;
  }

  /** Writes a function's body within a frame, and declares the temporary variables that it needed. */
  inFunction(isVararg: boolean, write: () => string): string {
    const frame: FunctionFrame = { temporaries: [], isVararg };
    this.#frames.push(frame);
    const body = this.inScope(write);
    this.#frames.pop();
    return frame.temporaries.length === 0 ? body : `let ${frame.temporaries.join(', ')};\n${body}`;
  }

  inScope(write: () => string): string {
    this.#scopes.push(new Map());
    const text = write();
    this.#scopes.pop();
    return text;
  }

  get isVararg(): boolean {
    return this.#frames.at(-1)?.isVararg === true;
  }

  /** Declares a local variable and returns its name in JavaScript. */
  declare(name: string): string {
    this.#serial++;
    const variable = { name: `${name}_${this.#serial}`, depth: this.#frames.length };
    this.#scopes.at(-1)?.set(name, variable);
    return variable.name;
  }

  /** The name in JavaScript of a local variable; undefined for a global one. */
  local(name: string): string | undefined {
    return this.#find(name)?.name;
  }

  /** A new variable of the function, which no other expression uses. */
  temporary(): string {
    const name = this.fresh();
    this.#frames.at(-1)?.temporaries.push(name);
    return name;
  }

  /** A name that no variable has. */
  fresh(): string {
    this.#serial++;
    return `$${this.#serial}`;
  }

  /** A zero of the function: the sign of its first one, as Lua keeps them. */
  zero(text: '0' | '-0'): string {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return text;
    frame.zero ??= text;
    return frame.zero;
  }

  kindOf = (variable: Identifier): VariableKind => {
    const local = this.#find(variable.name);
    if (local === undefined) return 'global';
    return local.depth === this.#frames.length ? 'local' : 'upvalue';
  };

  nameOf(expression: Expression): string | undefined {
    return nameOf(expression, this.kindOf);
  }

  /** Keeps a place and returns its name in JavaScript. */
  site(line: number, operand?: Expression, right?: Expression): string {
    const name = operand === undefined ? undefined : this.nameOf(operand);
    return this.#keep({
      line,
      name,
      called: calledName(name),
      right: right === undefined ? undefined : this.nameOf(right),
    });
  }

  /** The place of a call by a name that no expression has. */
  namedSite(line: number, name: string | undefined, isMethod = false): string {
    return this.#keep({ line, name, called: calledName(name), isMethod });
  }

  /** The place of the call of an iterator, which has a name in errors of the library alone. */
  iteratorSite(line: number): string {
    return this.#keep({ line, name: undefined, called: '(for generator)' });
  }

  #keep(site: Site): string {
    this.sites.push(site);
    return `S${this.sites.length - 1}`;
  }

  /** Whether an expression stands for any number of values: a call or `...` without parentheses. */
  isMultiple(expression: Expression | undefined): boolean {
    if (expression === undefined || this.#parenthesised.has(rangeOf(expression))) return false;
    return expression.type === 'VarargLiteral' || expression.type.endsWith('CallExpression');
  }

  /** @throws NotTranslated with file and line. */
  refuse(node: { readonly loc?: Expression['loc'] }, what: string): never {
    throw new NotTranslated(`${this.file}:${node.loc?.start.line ?? '?'}: ${what} is not translated`);
  }

  #find(name: string): Variable | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index--) {
      const variable = this.#scopes[index]?.get(name);
      if (variable !== undefined) return variable;
    }
    return undefined;
  }
}

/** The line where an expression begins. */
export function startLine(node: { readonly loc?: Expression['loc'] }): number {
  return node.loc?.start.line ?? 0;
}

/** The line where an expression ends. */
export function endLine(node: { readonly loc?: Expression['loc'] }): number {
  return node.loc?.end.line ?? 0;
}
