import type { Json } from '../document/json.ts';
import type { VariableDeclaration, VariableType } from '../document/types.ts';
import { evaluate, namesIn, requireFunctions } from '../expression/evaluate.ts';
import { ExpressionError } from '../expression/failure.ts';
import { type Expression, parseExpression } from '../expression/parse.ts';
import type { Scope } from './tree.ts';
import { isVariableName } from './variables.ts';

const LONGEST_NAME = 40;
const LONGEST_EXPRESSION = 1_000;

/** How an expression in `${}` is corrected: members of the details of VAR_UNDEFINED (review details 7.2). */
export interface ComputedHelp {
  readonly hint: string;
  /** The computed variable that the author needs. */
  readonly variable: Pick<VariableDeclaration, 'name' | 'type' | 'expr'>;
  /** Where it is added. */
  readonly suggestedPath: string;
}

/**
 * Help for a text in `${}` that is an expression of visible variables instead of a name; undefined for any other text. The
 * variable is added to the document, or to the node when it uses variables that are declared below the document.
 */
export function computedHelp(expr: string, scope: Scope, nodeId: string): ComputedHelp | undefined {
  if (isVariableName(expr) || expr.length > LONGEST_EXPRESSION) return undefined;
  const value = computed(expr, scope);
  if (value === undefined) return undefined;
  const isOfDocument = value.names.every(name => scope.get(name)?.declaredAt === 'doc');
  const variable = { name: freeName(value.names, scope), type: typeOf(value.value), expr };
  return {
    hint: `\${} takes a name: add the variable at suggestedPath and write \${${variable.name}}`,
    variable,
    suggestedPath: isOfDocument ? '/$variables/-' : `/${nodeId}/variables/-`,
  };
}

function computed(
  expr: string,
  scope: Scope,
): { readonly value: Json; readonly names: string[] } | undefined {
  try {
    const expression: Expression = parseExpression(expr);
    requireFunctions(expression);
    const names = [...new Set(namesIn(expression))];
    if (names.some(name => !scope.has(name))) return undefined;
    return { value: evaluate(expression, name => scope.get(name)?.value ?? null), names };
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function typeOf(value: Json): VariableType {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  return typeof value as 'string' | 'number' | 'boolean';
}

function freeName(names: readonly string[], scope: Scope): string {
  const stem = `${names.join('_').slice(0, LONGEST_NAME)}_text`.replace(/^_/, '');
  let name = stem;
  for (let count = 2; scope.has(name) || !isVariableName(name); count++) name = `${stem}_${count}`;
  return name;
}
