import type { Expression, Identifier } from 'luaparse';

/** Where a function keeps a variable of an enclosing function, Lua speaks of an upvalue. */
export type VariableKind = 'local' | 'upvalue' | 'global';

/** Kind and name of an operand in an error of Lua (getobjname of ldebug.c), as `field 'id'`. */
export function nameOf(
  expression: Expression,
  kindOf: (variable: Identifier) => VariableKind,
): string | undefined {
  switch (expression.type) {
    case 'Identifier':
      return `${kindOf(expression)} '${expression.name}'`;
    case 'MemberExpression':
      return `field '${expression.identifier.name}'`;
    case 'IndexExpression':
      return `field '${expression.index.type === 'StringLiteral' ? expression.index.value : '?'}'`;
    case 'LogicalExpression':
      // A left operand that is decided before the script runs leaves no code.
      if (isDecided(expression.left, expression.operator)) return nameOf(expression.right, kindOf);
      return undefined;
    default:
      return undefined;
  }
}

function isDecided({ type, ...literal }: Expression, operator: 'and' | 'or'): boolean {
  const isFalse =
    type === 'NilLiteral' || (type === 'BooleanLiteral' && 'value' in literal && !literal.value);
  if (operator === 'or') return isFalse;
  return !isFalse && ['BooleanLiteral', 'NumericLiteral', 'StringLiteral'].includes(type);
}

/** The name of what is called, without its kind: what errors of the library begin with. */
export function calledName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : name.slice(name.indexOf("'") + 1, -1);
}
