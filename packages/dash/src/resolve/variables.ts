import { defined } from '@msg/foundation/json';
import { display } from '../document/display.ts';
import type { Json } from '../document/json.ts';
import { isJsonObject } from '../document/json.ts';
import type { VariableDeclaration } from '../document/types.ts';
import { DashError } from '../errors.ts';
import { evaluate, namesIn, requireFunctions } from '../expression/evaluate.ts';
import { ExpressionError } from '../expression/failure.ts';
import { type Expression, parseExpression } from '../expression/parse.ts';
import { RESERVED_WORDS } from '../expression/tokenize.ts';
import { type LinkedNode, type Resolution, withDescendants } from './context.ts';
import { overrideInvalid, overrideValue } from './overrides.ts';
import type { VisibleVariable } from './tree.ts';

/** The variables that are visible at one node, by name. */
export type Scope = ReadonlyMap<string, VisibleVariable>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const MAX_DECLARATIONS = 1_000;
const LONGEST_LIST = 50;

export function isVariableName(name: string): boolean {
  return NAME.test(name) && !RESERVED_WORDS.has(name);
}

/**
 * Evaluates the declarations of one scope, with the inherited variables (dashboard details 6.2).
 * @param declaredAt `doc` or the path of the declaring node.
 * @throws DashError VAR_*
 */
export function declareVariables(
  resolution: Resolution,
  declarations: readonly VariableDeclaration[],
  declaredAt: string,
  inherited: Scope,
): Scope {
  if (declarations.length === 0) return inherited;
  const paths = new Map<VariableDeclaration, string>();
  const seen = new Set<string>();
  for (const [index, declaration] of declarations.entries()) {
    const path = `${declaredAt}.variables[${index}]`;
    paths.set(declaration, path);
    checkDeclaration(declaration, path, seen);
  }
  const scope = new Map(inherited);
  const declare = (declaration: VariableDeclaration, value: Json) =>
    scope.set(declaration.name, visible(declaration, value, declaredAt));
  for (const declaration of declarations.filter(({ expr }) => expr === undefined)) {
    declare(declaration, settableValue(resolution, declaration, paths.get(declaration) ?? ''));
  }
  const computed = declarations
    .filter(({ expr }) => expr !== undefined)
    .map(declaration => parsed(declaration, paths));
  for (const variable of inOrder(computed))
    declare(variable.declaration, compute(resolution, variable, scope));
  return scope;
}

function visible(declaration: VariableDeclaration, value: Json, declaredAt: string): VisibleVariable {
  const { name, type, default: preset, expr, options } = declaration;
  return defined({ name, type, value, default: preset, expr, options, declaredAt });
}

function checkDeclaration(declaration: VariableDeclaration, path: string, seen: Set<string>): void {
  const { name, type, options, expr } = declaration;
  if (!isVariableName(name)) throw declarationInvalid(path, name, 'name');
  if (declaration.default !== undefined && expr !== undefined)
    throw declarationInvalid(path, name, 'default_and_expr');
  if (seen.has(name)) throw declarationInvalid(path, name, 'duplicate');
  seen.add(name);
  const listed = options !== undefined && options.length > 0;
  if (type === 'enum' ? !listed : options !== undefined) throw optionsInvalid(path, name);
  const distinct = new Set<string>();
  const repeated = options?.find(option => distinct.size === distinct.add(option).size);
  if (repeated !== undefined) throw optionsInvalid(path, name, repeated);
  if (declaration.default !== undefined) requireType(declaration, declaration.default, path);
}

/** The value of a runtime override, otherwise the default. */
function settableValue({ overrides }: Resolution, declaration: VariableDeclaration, path: string): Json {
  const override = overrides.variables.get(declaration.name);
  if (override === undefined) return declaration.default ?? null;
  const value = overrideValue(override, declaration.type);
  if (value === undefined) throw typeInvalid(declaration, path);
  requireType(declaration, value, path);
  return value;
}

function requireType(declaration: VariableDeclaration, value: Json, path: string): void {
  if (!isOfType(declaration, value)) throw typeInvalid(declaration, path);
  const { type, options = [], name } = declaration;
  if (type === 'enum' && !options.includes(value as string)) throw optionsInvalid(path, name, value);
}

function isOfType({ type }: VariableDeclaration, value: Json): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'enum') return typeof value === 'string';
  if (type === 'integer') return Number.isInteger(value);
  return type === 'number' ? Number.isFinite(value) : typeof value === type;
}

interface Computed {
  readonly declaration: VariableDeclaration;
  readonly path: string;
  readonly expression: Expression;
  readonly names: readonly string[];
}

function parsed(declaration: VariableDeclaration, paths: ReadonlyMap<VariableDeclaration, string>): Computed {
  const path = paths.get(declaration) ?? '';
  return inExpression(declaration, path, () => {
    const expression = parseExpression(declaration.expr ?? '');
    requireFunctions(expression);
    return { declaration, path, expression, names: namesIn(expression) };
  });
}

/** The order of evaluation: each after its dependencies, ties by name. @throws DashError VAR_CYCLE `{path, names}`. */
function inOrder(computed: readonly Computed[]): Computed[] {
  const waiting = new Map(computed.map(variable => [variable.declaration.name, variable]));
  const users = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [name, { names }] of waiting) {
    const needed = names.filter(used => waiting.has(used));
    open.set(name, needed.length);
    for (const used of needed) users.set(used, [...(users.get(used) ?? []), name]);
  }
  const ordered: Computed[] = [];
  let ready = [...waiting.keys()].filter(name => open.get(name) === 0).sort();
  while (ready.length > 0) {
    const [name = '', ...rest] = ready;
    ordered.push(waiting.get(name) as Computed);
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
function cycleFrom(start: Computed, waiting: ReadonlyMap<string, Computed>): string[] {
  const trail: string[] = [];
  for (let at = start; ; ) {
    const { name } = at.declaration;
    const start = trail.indexOf(name);
    if (start >= 0) return trail.slice(start).sort();
    trail.push(name);
    at = waiting.get(at.names.find(used => waiting.has(used)) ?? '') as Computed;
  }
}

function compute(
  resolution: Resolution,
  { declaration, path, expression, names }: Computed,
  scope: Scope,
): Json {
  const unknown = names.find(name => !scope.has(name));
  if (unknown !== undefined) throw undefinedVariable(unknown, 'expr', scope, path);
  const value = inExpression(declaration, path, () =>
    evaluate(expression, name => (scope.get(name) as VisibleVariable).value),
  );
  resolution.built.add(value);
  requireType(declaration, value, path);
  return value;
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

/** The error VAR_UNDEFINED. */
export function undefinedVariable(
  name: string,
  form: '$var' | '${}' | 'expr' | 'widget',
  scope: Scope,
  path: string,
  nodeId?: string,
): DashError {
  return new DashError('VAR_UNDEFINED', `Variable "${display(name)}" does not exist at ${display(path)}.`, {
    name,
    path,
    nodeId,
    form,
    visible: [...scope.keys()].sort().slice(0, LONGEST_LIST),
  });
}

/**
 * Checks all declarations of a document: their number, and overrides of names that no settable variable has.
 * @throws DashError VAR_DECLARATION_INVALID, VAR_OVERRIDE_INVALID.
 */
export function checkAllDeclarations(resolution: Resolution, root: LinkedNode, rejectUnknown: boolean): void {
  const settable = new Set<string>();
  let count = 0;
  const register = (declarations: readonly VariableDeclaration[] = [], path: string) => {
    for (const [index, { name, expr }] of declarations.entries()) {
      count++;
      if (count > MAX_DECLARATIONS) throw declarationInvalid(`${path}.variables[${index}]`, name, 'too_many');
      if (expr === undefined) settable.add(name);
    }
  };
  register(resolution.document.variables, 'doc');
  for (const { node, path } of withDescendants(root)) register(node.variables, path);
  if (!rejectUnknown) return;
  const unknown = [...resolution.overrides.variables.keys()].find(name => !settable.has(name));
  if (unknown !== undefined) throw overrideInvalid(unknown);
}

function declarationInvalid(path: string, name: string, reason: string): DashError {
  const message = `Declaration of variable "${display(name)}" is not valid: ${reason}.`;
  return new DashError('VAR_DECLARATION_INVALID', message, { path, name, reason });
}

function optionsInvalid(path: string, name: string, value?: Json): DashError {
  const message = `Options of variable "${name}" must be distinct texts of an enum that contain its value.`;
  return new DashError('VAR_OPTIONS_INVALID', message, {
    path,
    name,
    value,
  });
}

function typeInvalid({ name, type }: VariableDeclaration, path: string): DashError {
  return new DashError('VAR_TYPE', `Value of variable "${name}" must be of type ${type}.`, {
    path,
    name,
    type,
  });
}
