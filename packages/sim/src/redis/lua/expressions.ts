import type {
  CallExpression,
  Expression,
  FunctionDeclaration,
  Identifier,
  StringCallExpression,
  TableCallExpression,
} from 'luaparse';
import { constantOf } from './constants.ts';
import { type Context, endLine, startLine } from './context.ts';
import { isSupplied, refusedGlobal, refusedMember } from './globals.ts';
import { writeTable } from './table-constructor.ts';

type Call = CallExpression | StringCallExpression | TableCallExpression;

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  '^': 'power',
  '..': 'concat',
};

/** An expression as one value. */
export function writeValue(context: Context, expression: Expression): string {
  const constant = constantOf(expression);
  if (constant !== undefined) return numberLiteral(context, constant);
  switch (expression.type) {
    case 'NilLiteral':
      return 'undefined';
    case 'BooleanLiteral':
      return String(expression.value);
    case 'NumericLiteral':
      return numberLiteral(context, expression.value);
    case 'StringLiteral':
      return JSON.stringify(expression.value);
    case 'VarargLiteral':
      return 'rest[0]';
    case 'Identifier':
      return writeVariable(context, expression);
    case 'FunctionDeclaration':
      return writeFunction(context, expression);
    case 'TableConstructorExpression':
      return writeTable(context, expression, { value: writeValue, list: writeList });
    case 'MemberExpression':
      return writeIndex(context, expression, expression.base, JSON.stringify(expression.identifier.name));
    case 'IndexExpression':
      return writeIndex(context, expression, expression.base, writeValue(context, expression.index));
    case 'UnaryExpression':
      return writeUnary(context, expression.operator, expression.argument);
    case 'BinaryExpression':
      return writeBinary(context, expression.operator, expression.left, expression.right);
    case 'LogicalExpression':
      return writeLogical(context, expression.operator, expression.left, expression.right);
    default:
      return `first(${writeCall(context, expression)})`;
  }
}

function numberLiteral(context: Context, value: number): string {
  if (value === 0) return `(${context.zero(Object.is(value, -0) ? '-0' : '0')})`;
  return `(${value})`;
}

/** Expressions as a JavaScript array; the last one gives all its values. */
export function writeList(context: Context, expressions: readonly Expression[]): string {
  const last = expressions.at(-1);
  if (last === undefined || !context.isMultiple(last))
    return `[${expressions.map(item => writeValue(context, item)).join(', ')}]`;
  const before = expressions.slice(0, -1).map(item => writeValue(context, item));
  const all = last.type === 'VarargLiteral' ? 'rest' : `listOf(${writeCall(context, last as Call)})`;
  return before.length === 0 ? all : `[${before.join(', ')}, ...${all}]`;
}

/** What a function returns. */
export function writeResults(context: Context, expressions: readonly Expression[]): string {
  const [only] = expressions;
  if (only === undefined) return 'NOTHING';
  if (expressions.length > 1) return writeList(context, expressions);
  if (!context.isMultiple(only)) return writeValue(context, only);
  return only.type === 'VarargLiteral' ? 'resultsOf(rest)' : writeCall(context, only as Call);
}

function writeVariable(context: Context, variable: Identifier): string {
  const local = context.local(variable.name);
  if (local !== undefined) return local;
  if (variable.name === 'KEYS' || variable.name === 'ARGV') return variable.name;
  if (variable.name === 'arg' && context.isVararg) context.refuse(variable, 'the variable arg');
  if (refusedGlobal(variable.name)) context.refuse(variable, `the global ${variable.name}`);
  if (!isSupplied(variable.name))
    return `missing(${JSON.stringify(variable.name)}, ${context.site(startLine(variable))})`;
  context.globals.add(variable.name);
  return `G_${variable.name}`;
}

function writeIndex(context: Context, whole: Expression, base: Expression, key: string): string {
  if (
    whole.type === 'MemberExpression' &&
    base.type === 'Identifier' &&
    context.local(base.name) === undefined
  ) {
    const member = `${base.name}.${whole.identifier.name}`;
    if (refusedMember(member)) context.refuse(whole, member);
  }
  return `index(${writeValue(context, base)}, ${key}, ${context.site(endLine(whole), base)})`;
}

function writeUnary(context: Context, operator: string, argument: Expression): string {
  if (operator === 'not') return `!${writeCondition(context, argument)}`;
  const name = operator === '-' ? 'negative' : 'length';
  return `${name}(${writeValue(context, argument)}, ${context.site(endLine(argument), argument)})`;
}

function writeBinary(context: Context, operator: string, left: Expression, right: Expression): string {
  const first = writeValue(context, left);
  const second = writeValue(context, right);
  const site = () => context.site(endLine(right), left, right);
  switch (operator) {
    case '==':
      return `(${first} === ${second})`;
    case '~=':
      return `(${first} !== ${second})`;
    case '<':
      return `less(${first}, ${second}, ${site()})`;
    case '<=':
      return `lessOrEqual(${first}, ${second}, ${site()})`;
    // Operands are evaluated from left to right, and compared the other way round.
    case '>':
      return `greater(${first}, ${second}, ${site()})`;
    case '>=':
      return `greaterOrEqual(${first}, ${second}, ${site()})`;
    default:
      return `${ARITHMETIC[operator]}(${first}, ${second}, ${site()})`;
  }
}

function writeLogical(context: Context, operator: string, left: Expression, right: Expression): string {
  const first = writeValue(context, left);
  const second = writeValue(context, right);
  if (isBoolean(left)) return operator === 'and' ? `(${first} && ${second})` : `(${first} || ${second})`;
  const stored = context.temporary();
  const isTrue = `((${stored} = ${first}) !== undefined && ${stored} !== false)`;
  return operator === 'and' ? `(${isTrue} ? ${second} : ${stored})` : `(${isTrue} ? ${stored} : ${second})`;
}

/** Whether an expression is true or false and nothing else. */
function isBoolean(expression: Expression): boolean {
  if (expression.type === 'UnaryExpression') return expression.operator === 'not';
  return (
    expression.type === 'BooleanLiteral' ||
    (expression.type === 'BinaryExpression' && /^(?:[=~]=|[<>]=?)$/.test(expression.operator))
  );
}

/** An expression as a condition of JavaScript. */
export function writeCondition(context: Context, expression: Expression): string {
  if (expression.type === 'LogicalExpression') {
    const [left, right] = [
      writeCondition(context, expression.left),
      writeCondition(context, expression.right),
    ];
    return `(${left} ${expression.operator === 'and' ? '&&' : '||'} ${right})`;
  }
  const value = writeValue(context, expression);
  return isBoolean(expression) ? `(${value})` : `isTrue(${value})`;
}

/** A call as its results. */
export function writeCall(context: Context, call: Call): string {
  const { base } = call;
  const values = argumentsOf(call);
  if (base.type === 'MemberExpression' && base.indexer === ':') {
    const line = endLine(base);
    const name = base.identifier.name;
    const object = writeValue(context, base.base);
    const sites = `${context.site(line, base.base)}, ${context.namedSite(line, `method '${name}'`, true)}`;
    return `callMethod(${object}, ${JSON.stringify(name)}, [${sites}], ${writeList(context, values)})`;
  }
  const callee = writeValue(context, base);
  const isError = base.type === 'Identifier' && base.name === 'error' && context.local('error') === undefined;
  const site =
    (isError ? '(running.caller = up, ' : '') +
    context.namedSite(callLine(call), context.nameOf(base)) +
    (isError ? ')' : '');
  if (values.length > 3 || context.isMultiple(values.at(-1)))
    return `callAll(${callee}, ${site}, ${writeList(context, values)})`;
  const written = values.map(item => writeValue(context, item));
  return `call${values.length}(${[callee, site, ...written].join(', ')})`;
}

function argumentsOf(call: Call): readonly Expression[] {
  if (call.type === 'CallExpression') return call.arguments;
  return call.type === 'StringCallExpression'
    ? [call.argument]
    : [(call as unknown as { arguments: Expression }).arguments];
}

function callLine(call: Call): number {
  return endLine(call.base);
}

/** A function; it remembers where it was called, for `error` with a level. */
export function writeFunction(context: Context, declaration: FunctionDeclaration, isMethod = false): string {
  const isVararg = declaration.parameters.some(({ type }) => type === 'VarargLiteral');
  let head = '';
  const body = context.inFunction(isVararg, () => {
    const names = isMethod ? ['self'] : [];
    for (const parameter of declaration.parameters)
      if (parameter.type === 'Identifier') names.push(parameter.name);
    const written = names.map(name => context.declare(name));
    if (isVararg) written.push('...rest');
    head = written.join(', ');
    return context.writeBlock(context, declaration.body);
  });
  return `function (${head}) {\nconst up = running.site;\n${body}\nreturn NOTHING;\n}`;
}
