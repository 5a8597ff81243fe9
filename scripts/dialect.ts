import { lineOf, type ParsedFile, parseFolders, type SyntaxNode, walk } from './syntax.ts';

/** One way to write a thing where the language has several and the linter has no rule. */
export interface DialectRule {
  /** Of the figure that counts it. */
  readonly name: string;
  readonly advice: string;
  /** Where it may stand: a file or a folder, relative to the root. */
  readonly home?: string;
  isBroken(node: SyntaxNode, parent: SyntaxNode | undefined): boolean;
}

const MEMBERS = ['PropertyDefinition', 'MethodDefinition', 'TSParameterProperty'];

export const DIALECT: readonly DialectRule[] = [
  {
    name: 'conditional spreads',
    advice: 'defined({ … }) drops members that are undefined',
    isBroken: ({ type, argument }, parent) =>
      type === 'SpreadElement' &&
      parent?.type === 'ObjectExpression' &&
      ['ConditionalExpression', 'LogicalExpression'].includes((argument as SyntaxNode).type),
  },
  {
    name: '`private` members',
    advice: 'a private member is written #name',
    // The decoders read every byte that comes in: their members stay as they were measured.
    home: 'packages/protocol/src/',
    isBroken: ({ type, accessibility, kind }) =>
      MEMBERS.includes(type) && accessibility === 'private' && kind !== 'constructor',
  },
  {
    name: 'parameter properties',
    advice: 'fields are declared, and set in the constructor',
    isBroken: ({ type }) => type === 'TSParameterProperty',
  },
  {
    name: 'promises told from values by hand',
    advice: 'chain, recover and isPromise of @msg/foundation/promises do that',
    home: 'packages/foundation/src/promises/maybe-promise.ts',
    isBroken: ({ type, operator, right }) =>
      type === 'BinaryExpression' && operator === 'instanceof' && (right as SyntaxNode)['name'] === 'Promise',
  },
];

/** Uses of other ways in `src` of the packages. */
export function findDialect(root: string, packages: readonly string[]): string[] {
  return parseFolders(
    root,
    packages.map(folder => `${folder}/src`),
  ).flatMap(dialectOf);
}

/** One line for each use in a file, outside the rule's home. */
export function dialectOf(file: ParsedFile): string[] {
  const { path, text } = file;
  return DIALECT.filter(({ home }) => home === undefined || !path.startsWith(home)).flatMap(rule =>
    usesOf(file, rule).map(({ start }) => `${path}:${lineOf(text, start)}: ${rule.name}: ${rule.advice}`),
  );
}

/** How often files do what a rule does not want, its home included. */
export function countDialect(files: readonly ParsedFile[], rule: DialectRule): number {
  return files.reduce((count, file) => count + usesOf(file, rule).length, 0);
}

function usesOf({ program }: ParsedFile, rule: DialectRule): SyntaxNode[] {
  const uses: SyntaxNode[] = [];
  walk(program, (node, parent) => {
    if (rule.isBroken(node, parent)) uses.push(node);
  });
  return uses;
}
