import type { Expression } from 'luaparse';
import { FROM_LIBRARY } from './failure.ts';
import { modulo, power } from './operators.ts';

/** The number that Lua makes of an expression when it compiles it; undefined where it calculates when it runs. */
export function constantOf(expression: Expression): number | undefined {
  if (expression.type === 'NumericLiteral') return expression.value;
  if (expression.type === 'UnaryExpression') {
    const value = expression.operator === '-' ? constantOf(expression.argument) : undefined;
    return value === undefined ? undefined : -value;
  }
  if (expression.type !== 'BinaryExpression') return undefined;
  const left = constantOf(expression.left);
  const right = constantOf(expression.right);
  if (left === undefined || right === undefined) return undefined;
  const value = calculated(expression.operator, left, right);
  return Number.isNaN(value) ? undefined : value;
}

function calculated(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? undefined : left / right;
    case '%':
      return right === 0 ? undefined : modulo(left, right, FROM_LIBRARY);
    case '^':
      return power(left, right, FROM_LIBRARY);
    default:
      return undefined;
  }
}
