import type {
  AssignmentStatement,
  Expression,
  ForGenericStatement,
  ForNumericStatement,
  Identifier,
  IfStatement,
  LocalStatement,
  Statement,
} from 'luaparse';
import { type Context, endLine, startLine } from './context.ts';
import {
  writeCall,
  writeCondition,
  writeFunction,
  writeList,
  writeResults,
  writeValue,
} from './expressions.ts';

/** The statements of a block, within the scope that the caller opened. */
export function writeBlock(context: Context, body: readonly Statement[]): string {
  return body.map(statement => writeStatement(context, statement)).join('\n');
}

function scoped(context: Context, body: readonly Statement[]): string {
  return `{\n${context.inScope(() => writeBlock(context, body))}\n}`;
}

function writeStatement(context: Context, statement: Statement): string {
  switch (statement.type) {
    case 'LocalStatement':
      return writeLocal(context, statement);
    case 'AssignmentStatement':
      return writeAssignment(context, statement);
    case 'CallStatement':
      return `${writeCall(context, statement.expression)};`;
    case 'FunctionDeclaration':
      return writeNamedFunction(context, statement);
    case 'IfStatement':
      return writeIf(context, statement);
    case 'WhileStatement':
      return `while (${writeCondition(context, statement.condition)}) ${scoped(context, statement.body)}`;
    case 'RepeatStatement':
      return `while (true) {\n${context.inScope(() => {
        const body = writeBlock(context, statement.body);
        return `${body}\nif (${writeCondition(context, statement.condition)}) break;`;
      })}\n}`;
    case 'DoStatement':
      return scoped(context, statement.body);
    case 'ReturnStatement':
      return `return ${writeResults(context, statement.arguments)};`;
    case 'BreakStatement':
      return 'break;';
    case 'ForNumericStatement':
      return writeNumericFor(context, statement);
    case 'ForGenericStatement':
      return writeGenericFor(context, statement);
    default:
      return context.refuse(statement, statement.type);
  }
}

/** As many JavaScript expressions as variables; what is evaluated before them is pushed to `steps`. */
function adjusted(
  context: Context,
  expressions: readonly Expression[],
  count: number,
  steps: string[],
): string[] {
  const last = expressions.at(-1);
  if (last !== undefined && context.isMultiple(last) && expressions.length < count) {
    const all = context.fresh();
    steps.push(`const ${all} = ${writeList(context, expressions)};`);
    return Array.from({ length: count }, (_, index) => `${all}[${index}]`);
  }
  const values = expressions.map(expression => {
    // More values than variables are evaluated all the same.
    const stored = context.fresh();
    steps.push(`const ${stored} = ${writeValue(context, expression)};`);
    return stored;
  });
  return Array.from({ length: count }, (_, index) => values[index] ?? 'undefined');
}

function writeLocal(context: Context, { variables, init }: LocalStatement): string {
  const [only] = variables;
  if (variables.length === 1 && init.length <= 1 && only !== undefined) {
    const value = init[0] === undefined ? 'undefined' : writeValue(context, init[0]);
    return `let ${context.declare(only.name)} = ${value};`;
  }
  const steps: string[] = [];
  const values = adjusted(context, init, variables.length, steps);
  for (const [index, { name }] of variables.entries())
    steps.push(`let ${context.declare(name)} = ${values[index]};`);
  return steps.join('\n');
}

function writeAssignment(context: Context, { variables, init }: AssignmentStatement): string {
  const line = endLine(init.at(-1) as Expression);
  const [only] = variables;
  if (variables.length === 1 && init.length === 1 && only !== undefined)
    return `${targetOf(context, only, line)(writeValue(context, init[0] as Expression))};`;
  const steps: string[] = [];
  const targets = variables.map(variable => targetOf(context, variable, line, steps));
  const values = adjusted(context, init, variables.length, steps);
  for (let index = targets.length - 1; index >= 0; index--)
    steps.push(`${targets[index]?.(values[index] as string)};`);
  return `{\n${steps.join('\n')}\n}`;
}

type Target = AssignmentStatement['variables'][number];

/** Writes an assignment of a value. Where several are assigned, table and key are evaluated first, into `steps`. */
function targetOf(
  context: Context,
  variable: Target,
  line: number,
  steps?: string[],
): (value: string) => string {
  if (variable.type === 'Identifier') {
    const local = context.local(variable.name);
    if (local !== undefined) return value => `${local} = ${value}`;
    return value => `setGlobal(${value}, ${context.site(line)})`;
  }
  const evaluated = (text: string): string => {
    if (steps === undefined) return text;
    const name = context.fresh();
    steps.push(`const ${name} = ${text};`);
    return name;
  };
  const base = evaluated(writeValue(context, variable.base));
  const key = evaluated(
    variable.type === 'MemberExpression'
      ? JSON.stringify(variable.identifier.name)
      : writeValue(context, variable.index),
  );
  const site = context.site(line, variable.base);
  return value => `setIndex(${base}, ${key}, ${value}, ${site})`;
}

function writeNamedFunction(
  context: Context,
  statement: Extract<Statement, { type: 'FunctionDeclaration' }>,
): string {
  const { identifier } = statement;
  const line = startLine(statement);
  if (identifier?.type === 'Identifier') {
    if (statement.isLocal) {
      const name = context.declare(identifier.name);
      return `let ${name} = ${writeFunction(context, statement)};`;
    }
    return `${targetOf(context, identifier, line)(writeFunction(context, statement))};`;
  }
  if (identifier === null) return context.refuse(statement, 'a function without a name');
  const isMethod = identifier.indexer === ':';
  return `${targetOf(context, identifier, line)(writeFunction(context, statement, isMethod))};`;
}

function writeIf(context: Context, { clauses }: IfStatement): string {
  return clauses
    .map(clause => {
      if (clause.type === 'ElseClause') return scoped(context, clause.body);
      return `if (${writeCondition(context, clause.condition)}) ${scoped(context, clause.body)}`;
    })
    .join(' else ');
}

function writeNumericFor(context: Context, loop: ForNumericStatement): string {
  const values = [loop.start, loop.end].map(item => writeValue(context, item));
  values.push(loop.step === null ? '1' : writeValue(context, loop.step));
  const [from, to, by, index] = [context.fresh(), context.fresh(), context.fresh(), context.fresh()];
  const site = context.site(endLine(loop.step ?? loop.end));
  const body = context.inScope(() => {
    const variable = context.declare(loop.variable.name);
    return `let ${variable} = ${index};\n${context.inScope(() => writeBlock(context, loop.body))}`;
  });
  // The first index is the start less a step plus a step: rounded as in Lua.
  return `{
const [${from}, ${to}, ${by}] = loopBounds(${values.join(', ')}, ${site});
for (let ${index} = ${from} - ${by} + ${by}; ${by} > 0 ? ${index} <= ${to} : ${to} <= ${index}; ${index} += ${by}) {
${body}
}
}`;
}

function writeGenericFor(context: Context, loop: ForGenericStatement): string {
  const steps: string[] = [];
  const [iterator, state, start] = adjusted(context, loop.iterators, 3, steps);
  const [control, results] = [context.fresh(), context.fresh()];
  const site = context.iteratorSite(startLine(loop));
  const body = context.inScope(() => {
    const [key, ...others] = loop.variables.map(({ name }: Identifier) => context.declare(name));
    const lines = [
      `const ${results} = listOf(call2(${iterator}, ${site}, ${state}, ${control}));`,
      `let ${key} = ${results}[0];`,
      `if (${key} === undefined) break;`,
      `${control} = ${key};`,
      ...others.map((name, index) => `let ${name} = ${results}[${index + 1}];`),
    ];
    return `${lines.join('\n')}\n${context.inScope(() => writeBlock(context, loop.body))}`;
  });
  return `{\n${steps.join('\n')}\nlet ${control} = ${start};\nwhile (true) {\n${body}\n}\n}`;
}
