import { basename } from 'node:path';
import { anchorOf } from '../../docs/.vitepress/site/anchors.ts';
import { readManifest } from '../packages.ts';
import { type AddressOf, linkedName } from './comment.ts';
import type { ReferenceEntry, ReferenceSymbol } from './extract.ts';
import { sentenceOf, symbolSection } from './symbol.ts';

/** A package with its entries. */
interface ReferencePackage {
  readonly folder: string;
  readonly entries: readonly ReferenceEntry[];
}

const fileOf = (folder: string): string => `${basename(folder)}.md`;
const packageOf = (folder: string): string => `@msg/${basename(folder)}`;

function packagesOf(entries: readonly ReferenceEntry[]): ReferencePackage[] {
  const folders = [...new Set(entries.map(({ folder }) => folder))];
  return folders.map(folder => ({ folder, entries: entries.filter(entry => entry.folder === folder) }));
}

/** Names of a package with the anchors of their headings: a page numbers those that differ by their case alone. */
function anchorsOf({ entries }: ReferencePackage): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const taken = new Set<string>();
  const take = (heading: string): string => {
    const base = anchorOf(heading);
    let anchor = base;
    for (let count = 1; taken.has(anchor); count++) anchor = `${base}-${count}`;
    taken.add(anchor);
    return anchor;
  };
  for (const { name, symbols } of entries) {
    take(name);
    for (const symbol of symbols) {
      const anchor = take(symbol.name);
      if (!anchors.has(symbol.name)) anchors.set(symbol.name, anchor);
    }
  }
  return anchors;
}

/** What every page knows of the others. */
class Names {
  readonly #anchors: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly #symbols: ReadonlyMap<string, ReferenceSymbol>;

  constructor(packages: readonly ReferencePackage[]) {
    this.#anchors = new Map(packages.map(item => [item.folder, anchorsOf(item)]));
    this.#symbols = new Map(
      packages.flatMap(({ folder, entries }) =>
        entries.flatMap(({ symbols }) =>
          symbols.map(symbol => [`${packageOf(folder)} ${symbol.name}`, symbol] as const),
        ),
      ),
    );
  }

  /** Addresses as a page of `folder` writes them: of its own names first, then of the others'. */
  from(folder: string): AddressOf {
    return name => {
      const own = this.#anchors.get(folder)?.get(name);
      if (own !== undefined) return `#${own}`;
      for (const [other, anchors] of this.#anchors) {
        const anchor = anchors.get(name);
        if (anchor !== undefined) return `${fileOf(other)}#${anchor}`;
      }
      return undefined;
    };
  }

  symbol(packageName: string, name: string): ReferenceSymbol | undefined {
    return this.#symbols.get(`${packageName} ${name}`);
  }
}

function entrySection(entry: ReferenceEntry, names: Names): string {
  const addressOf = names.from(entry.folder);
  const sections = entry.symbols.map(symbol => symbolSection(symbol, addressOf));
  return [`## ${entry.name}`, ...sections, ...otherRows(entry, names)].join('\n\n');
}

/** What an entry exports of other packages, with a sentence and a link to where it is described. */
function otherRows({ folder, others }: ReferenceEntry, names: Names): string[] {
  if (others.length === 0) return [];
  const addressOf = names.from(folder);
  const rows = others.map(([name, from]) => {
    const symbol = names.symbol(from, name);
    const sentence = symbol === undefined ? '' : (sentenceOf(symbol, addressOf) ?? '').replaceAll('|', '\\|');
    return `| ${linkedName(name, addressOf)} | \`${from}\` | ${sentence || 'As its package documents it.'} |`;
  });
  return [
    `It also exports names of other packages:\n\n| Name | Of | What it is |\n|---|---|---|\n${rows.join('\n')}`,
  ];
}

function page({ folder, entries }: ReferencePackage, root: string, names: Names): string {
  const { name: title, description = '' } = readManifest(root, folder);
  const list = entries.map(({ name }) => `\`${name}\``).join(', ');
  return [
    `---\neditLink: false\n---\n\n# ${title}`,
    description,
    entries.length === 1 ? '' : `Entries: ${list}.`,
    ...entries.map(entry => entrySection(entry, names)),
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

/**
 * The pages of the TypeScript reference by file name, one for each package.
 * @throws Error that names every exported symbol without a sentence.
 */
export function referencePagesOf(
  root: string,
  entries: readonly ReferenceEntry[],
): ReadonlyMap<string, string> {
  const silent = entries.flatMap(({ name, symbols }) =>
    symbols
      .filter(symbol => sentenceOf(symbol, () => undefined) === undefined)
      .map(symbol => `${name}: ${symbol.name}`),
  );
  if (silent.length > 0)
    throw new Error(`these names need a sentence above their declaration:\n${silent.join('\n')}`);
  const packages = packagesOf(entries);
  const names = new Names(packages);
  return new Map(packages.map(item => [fileOf(item.folder), `${page(item, root, names)}\n`]));
}
