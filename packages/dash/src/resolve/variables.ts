import { defined } from '@msg/foundation/json';
import { isJsonObject, type Json } from '../document/json.ts';
import type { VariableDeclaration } from '../document/types.ts';
import { RESERVED_WORDS } from '../expression/tokenize.ts';
import { compute, inOrder, parseComputed } from './computed-variables.ts';
import { type LinkedNode, withDescendants } from './context.ts';
import { overrideInvalid, overrideValue } from './overrides.ts';
import type { Resolution } from './resolution.ts';
import type { Scope, VisibleVariable } from './tree.ts';
import { declarationInvalid, optionsInvalid, typeInvalid } from './variable-errors.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const MAX_DECLARATIONS = 1_000;

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
    .map(declaration => parseComputed(declaration, paths.get(declaration) ?? ''));
  for (const variable of inOrder(computed)) {
    const { declaration, path } = variable;
    const value = compute(variable, scope);
    resolution.built.add(value);
    requireType(declaration, value, path);
    declare(declaration, value);
  }
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
