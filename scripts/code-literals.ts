import { lineOf, type ParsedFile, parseFolders, type SyntaxNode, walk } from './syntax.ts';

/** Methods that take a code and its reason. */
const ENDING_METHODS = new Set(['close', 'destroy', 'disconnect', 'unsubscribe']);

/** Disconnect and unsubscribe codes written as numbers in `src` of the packages. The tables of the protocol hold them. */
export function findCodeLiterals(root: string, packages: readonly string[]): string[] {
  const files = parseFolders(
    root,
    packages.map(folder => `${folder}/src`),
  );
  return files.filter(({ path }) => !path.startsWith('packages/protocol/src/codes/')).flatMap(codeLiteralsOf);
}

/** One line for each code of a file. */
export function codeLiteralsOf({ path, text, program }: ParsedFile): string[] {
  const lines: string[] = [];
  walk(program, node => {
    const code = codeIn(node);
    if (code === undefined) return;
    const place = `${path}:${lineOf(text, node.start)}`;
    lines.push(
      `${place}: the code ${code} must come from the protocol's table: disconnect.…(), unsubscribe.…`,
    );
  });
  return lines;
}

function codeIn(node: SyntaxNode): number | undefined {
  switch (node.type) {
    case 'NewExpression':
      return nameOf(node['callee']) === 'Disconnect' ? numberOf(argumentsOf(node)[0]) : undefined;
    case 'CallExpression': {
      const method = nameOf((node['callee'] as SyntaxNode)['property']);
      if (!ENDING_METHODS.has(method)) return undefined;
      return argumentsOf(node).map(protocolCodeOf).find(isNumber);
    }
    case 'BinaryExpression': {
      const isEquality = /^[!=]==$/.test(String(node['operator']));
      const isCode = /^code$/i.test(nameOf(node['left'])) || nameOf(propertyOf(node['left'])) === 'code';
      return isEquality && isCode ? protocolCodeOf(node['right']) : undefined;
    }
    case 'ObjectExpression':
      return isText(memberOf(node, 'reason')) ? numberOf(memberOf(node, 'code')) : undefined;
    default:
      return undefined;
  }
}

function argumentsOf(node: SyntaxNode): readonly unknown[] {
  return node['arguments'] as readonly unknown[];
}

function memberOf(node: SyntaxNode, name: string): unknown {
  const properties = node['properties'] as readonly SyntaxNode[];
  return properties.find(property => nameOf(property['key']) === name)?.['value'];
}

function propertyOf(node: unknown): unknown {
  return isObject(node) ? node['property'] : undefined;
}

function nameOf(node: unknown): string {
  return isObject(node) && typeof node['name'] === 'string' ? node['name'] : '';
}

function numberOf(node: unknown): number | undefined {
  return isObject(node) && typeof node['value'] === 'number' ? node['value'] : undefined;
}

/** The number if it is in the ranges of disconnect and unsubscribe codes: others have a code of another kind. */
function protocolCodeOf(node: unknown): number | undefined {
  const code = numberOf(node);
  return code !== undefined && code >= 2000 && code < 5000 ? code : undefined;
}

/** Empty texts are the wire's zero values. */
function isText(node: unknown): boolean {
  if (!isObject(node)) return false;
  const { value, type } = node;
  return (typeof value === 'string' && value !== '') || type === 'TemplateLiteral';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
