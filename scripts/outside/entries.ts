import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAst } from 'vitest/node';

/** A node of the syntax tree. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // Members differ by type; a reader has checked the type.
  // biome-ignore lint/suspicious/noExplicitAny: the parser's own type names no members either
  readonly [member: string]: any;
}

/** Where an exported name is declared. A name may be both a value and a type. */
export interface Declaration {
  readonly kind: 'class' | 'function' | 'const' | 'interface' | 'type';
  readonly node: SyntaxNode;
  readonly file: string;
  readonly text: string;
  /** The entry exports only the type: of a class there is no constructor. */
  readonly typeOnly?: true;
}

interface SourceFile {
  readonly text: string;
  readonly body: readonly SyntaxNode[];
}

type Exports = ReadonlyMap<string, readonly Declaration[]>;

const KINDS: Readonly<Record<string, Declaration['kind']>> = {
  ClassDeclaration: 'class',
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  VariableDeclaration: 'const',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
};

/** The exported names of package entries, followed through re-exports to their declarations. */
export class Entries {
  readonly #root: string;
  readonly #emitted: boolean;
  /** Package name → folder. */
  readonly #folders = new Map<string, string>();
  readonly #files = new Map<string, SourceFile>();
  readonly #exports = new Map<string, Exports>();

  /** `emitted`: read the declarations that the compiler wrote for the sources, in place of the sources. */
  constructor(root: string, packages: readonly string[], { emitted = false } = {}) {
    this.#root = root;
    this.#emitted = emitted;
    for (const folder of packages) this.#folders.set(this.#manifest(folder)['name'], folder);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a package.json
  #manifest(folder: string): any {
    return JSON.parse(readFileSync(join(this.#root, folder, 'package.json'), 'utf8'));
  }

  /** Entry (`@msg/engine/redis`) → source file. */
  entries(): ReadonlyMap<string, string> {
    const entries = new Map<string, string>();
    for (const [name, folder] of this.#folders) {
      const { exports = {} } = this.#manifest(folder);
      for (const [path, conditions] of Object.entries<Record<string, string>>(exports)) {
        const source = conditions['msg-source'];
        if (source !== undefined) entries.set(join(name, path), resolve(this.#root, folder, source));
      }
    }
    return entries;
  }

  /** Those of {@link entries} that programs may use. */
  published(): string[] {
    return [...this.entries().keys()].filter(entry => !entry.endsWith('/internal'));
  }

  /** What an entry exports. @throws Error for an entry that does not exist. */
  of(entry: string): Exports {
    const file = this.entries().get(entry);
    if (file === undefined) throw new Error(`${entry} is not an entry of a package`);
    return this.#exportsOf(file);
  }

  /** Declarations of a name as a file sees it: its own, and what it imports. */
  named(name: string, file: string): readonly Declaration[] {
    const { body, text } = this.#file(file);
    const own = body.flatMap(statement =>
      declarationsOf(statement['declaration'] ?? statement, file, text).filter(([of]) => of === name),
    );
    if (own.length > 0) return own.map(([, declaration]) => declaration);
    for (const { type, source, specifiers } of body) {
      if (type !== 'ImportDeclaration') continue;
      const specifier = specifiers.find(({ local }: SyntaxNode) => local['name'] === name);
      const from = specifier === undefined ? undefined : this.#resolve(source.value, file);
      if (from !== undefined) return this.#exportsOf(from).get(specifier.imported?.name) ?? [];
    }
    return [];
  }

  #file(path: string): SourceFile {
    const cached = this.#files.get(path);
    if (cached !== undefined) return cached;
    const read = this.#emitted ? path.replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts') : path;
    const text = readFileSync(read, 'utf8');
    const file = { text, body: parseAst(text, { lang: 'ts' }).body as unknown as readonly SyntaxNode[] };
    this.#files.set(path, file);
    return file;
  }

  /** Undefined for packages that are not ours. */
  #resolve(specifier: string, file: string): string | undefined {
    if (specifier.startsWith('.')) return resolve(dirname(file), specifier);
    if (specifier.startsWith('#src/')) {
      const source = file.slice(0, file.indexOf('/src/') + '/src/'.length);
      return join(source, specifier.slice('#src/'.length));
    }
    return this.entries().get(specifier);
  }

  #exportsOf(file: string): Exports {
    const cached = this.#exports.get(file);
    if (cached !== undefined) return cached;
    const exports = new Map<string, readonly Declaration[]>();
    this.#exports.set(file, exports); // before the rest: files may export each other
    const { body, text } = this.#file(file);
    for (const statement of body) {
      const from = statement['source'] ? this.#resolve(statement['source'].value, file) : undefined;
      if (statement.type === 'ExportAllDeclaration' && from !== undefined) {
        for (const [name, declarations] of this.#exportsOf(from)) exports.set(name, declarations);
      }
      if (statement.type !== 'ExportNamedDeclaration') continue;
      for (const [name, declaration] of declarationsOf(statement['declaration'], file, text)) {
        exports.set(name, [...(exports.get(name) ?? []), declaration]);
      }
      for (const { exported, local, exportKind } of statement['specifiers']) {
        const declarations =
          from === undefined ? this.named(local.name, file) : (this.#exportsOf(from).get(local.name) ?? []);
        const isType = statement['exportKind'] === 'type' || exportKind === 'type';
        exports.set(exported.name, isType ? declarations.map(asType) : declarations);
      }
    }
    return exports;
  }
}

const asType = (declaration: Declaration): Declaration => ({ ...declaration, typeOnly: true });

function declarationsOf(node: SyntaxNode | null, file: string, text: string): [string, Declaration][] {
  const kind = KINDS[node?.type ?? ''];
  if (node === null || kind === undefined) return [];
  const names: string[] =
    node.type === 'VariableDeclaration'
      ? node['declarations'].map(({ id }: SyntaxNode) => id['name'])
      : [node['id'].name];
  return names.map(name => [name, { kind, node, file, text }]);
}

/** Members of a class or interface that users reach, sorted. */
export function memberNames({ node }: Declaration): string[] {
  const members: readonly SyntaxNode[] = node['body'].body;
  const names = members
    .filter(({ key, accessibility }) => key?.type === 'Identifier' && accessibility !== 'private')
    .filter(({ kind }) => kind !== 'constructor')
    .map(
      ({ key, optional, static: isStatic }) =>
        `${isStatic ? 'static ' : ''}${key.name}${optional ? '?' : ''}`,
    );
  return [...new Set(names)].sort();
}

/**
 * The members of an object type by path (`rate_limits.publish.rate`), each with the text of its type. A `?` marks what
 * may be absent, `[]` the items of a list.
 */
export function memberPaths(entries: Entries, declaration: Declaration, prefix = ''): [string, string][] {
  const { node, file, text } = declaration;
  const pathsOf = (type: SyntaxNode, path: string): [string, string][] => {
    if (type.type === 'TSTypeLiteral')
      return type['members'].flatMap((member: SyntaxNode) => row(member, `${path}.`));
    if (type.type === 'TSArrayType') return pathsOf(type['elementType'], `${path}[]`);
    if (type.type === 'TSTypeOperator') return pathsOf(type['typeAnnotation'], path);
    const [named] = type.type === 'TSTypeReference' ? entries.named(type['typeName'].name, file) : [];
    if (named?.kind === 'interface') return memberPaths(entries, named, `${path}.`);
    return [[path, text.slice(type.start, type.end).replace(/\s+/g, ' ')]];
  };
  const row = ({ key, optional, typeAnnotation }: SyntaxNode, start: string): [string, string][] =>
    pathsOf(typeAnnotation.typeAnnotation, `${start}${key.name}${optional ? '?' : ''}`);
  return node['body'].body.flatMap((member: SyntaxNode) => row(member, prefix));
}
