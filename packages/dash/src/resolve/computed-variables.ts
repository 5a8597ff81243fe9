import type { Json } from '../document/json.ts';
import type { VariableDeclaration } from '../document/types.ts';
import { DashError } from '../errors.ts';
import { evaluate, namesIn, requireFunctions } from '../expression/evaluate.ts';
import { ExpressionError } from '../expression/failure.ts';
import { type Expression, parseExpression } from '../expression/parse.ts';
import type { Scope, VisibleVariable } from './tree.ts';
import { LONGEST_LIST, undefinedVariable } from './variable-errors.ts';

/** A variable whose value is an expression of others. */
export interface ComputedVariable {
  readonly declaration: VariableDeclaration;
  readonly path: string;
  readonly expression: Expression;
  readonly names: readonly string[];
}

/** Reads the expression of a declaration. @throws DashError VAR_EXPR */
export function parseComputed(declaration: VariableDeclaration, path: string): ComputedVariable {
  return inExpression(declaration, path, () => {
    const expression = parseExpression(declaration.expr ?? '');
    requireFunctions(expression);
    return { declaration, path, expression, names: namesIn(expression) };
  });
}

/** The order of evaluation: each after its dependencies, ties by name. @throws DashError VAR_CYCLE `{path, names}` */
export function inOrder(computed: readonly ComputedVariable[]): ComputedVariable[] {
  const waiting = new Map(computed.map(variable => [variable.declaration.name, variable]));
  const users = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [name, { names }] of waiting) {
    const needed = names.filter(used => waiting.has(used));
    open.set(name, needed.length);
    for (const used of needed) users.set(used, [...(users.get(used) ?? []), name]);
  }
  const ordered: ComputedVariable[] = [];
  let ready = [...waiting.keys()].filter(name => open.get(name) === 0).sort();
  while (ready.length > 0) {
    const [name = '', ...rest] = ready;
    ordered.push(waiting.get(name) as ComputedVariable);
    waiting.delete(name);
    const freed = (users.get(name) ?? []).filter(
      user => open.set(user, (open.get(user) ?? 0) - 1).get(user) === 0,
    );
    ready = freed.length === 0 ? rest : [...rest, ...freed].sort();
  }
  const stuck = [...waiting.values()][0];
  if (stuck === undefined) return ordered;
  const names = cycleFrom(stuck, waiting);
  const message = `Computed variables must be free of cycles; got ${names.slice(0, 10).join(', ')}.`;
  throw new DashError('VAR_CYCLE', message, {
    path: waiting.get(names[0] ?? '')?.path,
    names: names.slice(0, LONGEST_LIST),
  });
}

/** Follows dependencies until a name repeats; the names of the cycle, sorted. */
function cycleFrom(start: ComputedVariable, waiting: ReadonlyMap<string, ComputedVariable>): string[] {
  const trail: string[] = [];
  for (let at = start; ; ) {
    const { name } = at.declaration;
    const start = trail.indexOf(name);
    if (start >= 0) return trail.slice(start).sort();
    trail.push(name);
    at = waiting.get(at.names.find(used => waiting.has(used)) ?? '') as ComputedVariable;
  }
}

/** The value of the expression. @throws DashError VAR_UNDEFINED, VAR_EXPR */
export function compute({ declaration, path, expression, names }: ComputedVariable, scope: Scope): Json {
  const unknown = names.find(name => !scope.has(name));
  if (unknown !== undefined) throw undefinedVariable(unknown, 'expr', scope, { path });
  return inExpression(declaration, path, () =>
    evaluate(expression, name => (scope.get(name) as VisibleVariable).value),
  );
}

function inExpression<T>({ name, expr = '' }: VariableDeclaration, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { message: reason, offset } = error;
    const at = offset === undefined ? {} : { offset };
    throw new DashError('VAR_EXPR', `Expression of variable "${name}" is not valid: ${reason}.`, {
      path,
      name,
      expr,
      reason,
      ...at,
    });
  }
}
