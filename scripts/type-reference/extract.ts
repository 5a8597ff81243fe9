import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { type ApiItem, ApiPackage } from '@microsoft/api-extractor-model';
import { Entries } from '../outside/entries.ts';
import { publicPackages } from '../packages.ts';

/** An exported name, which may be both a value and a type. */
export interface ReferenceSymbol {
  readonly name: string;
  /** Its declarations, all signatures of a function among them. */
  readonly items: readonly ApiItem[];
}

/** A public entry of a package, such as `@msg/engine/redis`. */
export interface ReferenceEntry {
  readonly name: string;
  /** Folder of its package below the root. */
  readonly folder: string;
  /** What its package declares and it exports, in alphabetical order. */
  readonly symbols: readonly ReferenceSymbol[];
  /** What it exports of other packages: name and package. */
  readonly others: readonly (readonly [name: string, from: string])[];
}

const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'esnext.disposable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

const SILENT = { default: { logLevel: ExtractorLogLevel.None } };

/** What API Extractor is told about one entry: the declarations that the compiler wrote, and where its model goes. */
function configurationOf(root: string, folder: string, declarations: string, model: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: resolve(root, folder, 'package.json'),
    configObject: {
      projectFolder: resolve(root, folder),
      mainEntryPointFilePath: declarations,
      compiler: { overrideTsconfig: { compilerOptions: COMPILER_OPTIONS, files: [declarations] } },
      apiReport: { enabled: false },
      docModel: { enabled: true, apiJsonFilePath: model },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        // The sources are checked by the compiler of the project; their comments are Markdown before they are TSDoc.
        compilerMessageReporting: SILENT,
        extractorMessageReporting: SILENT,
        tsdocMessageReporting: SILENT,
      },
    },
  });
}

/** The entries of a package with their sources; those of our own packages alone are not a user's. */
export const publicEntries = (root: string, folder: string): [name: string, source: string][] =>
  [...new Entries(root, [folder]).entries()].filter(([name]) => !name.endsWith('/internal'));

/**
 * Reads every public entry with API Extractor, from declarations that `tsc -b` wrote.
 * @throws Error for an entry that it cannot read.
 */
export function referenceEntries(root: string): readonly ReferenceEntry[] {
  const models = resolve(root, '.tmp/type-reference');
  mkdirSync(models, { recursive: true });
  const folders = publicPackages(root);
  const inputs = folders.flatMap(folder =>
    publicEntries(root, folder).map(([name, source]) => {
      const model = join(models, `${name.replace('@', '').replaceAll('/', '.')}.api.json`);
      const declarations = source.replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts');
      return {
        name,
        folder,
        declarations,
        model,
        configuration: configurationOf(root, folder, declarations, model),
      };
    }),
  );
  const [first] = inputs;
  if (first === undefined) return [];
  // One program for all entries: each of its own would read the same declarations again.
  const compilerState = CompilerState.create(first.configuration, {
    additionalEntryPoints: inputs.map(({ declarations }) => declarations),
  });
  return inputs.map(({ name, folder, configuration, model }) => {
    const { errorCount } = Extractor.invoke(configuration, {
      compilerState,
      localBuild: true,
      messageCallback: message => {
        message.handled = message.logLevel !== ExtractorLogLevel.Error;
      },
    });
    if (errorCount > 0) throw new Error(`API Extractor cannot read ${name}`);
    const { entryPoints } = ApiPackage.loadFromJsonFile(model);
    const symbols = symbolsOf(entryPoints.flatMap(({ members }) => members));
    return { name, folder, symbols, others: othersOf(root, name, symbols) };
  });
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The name of an item: API Extractor numbers those that a browser has under the same name (`Notification_2`). */
export const nameOf = ({ displayName }: ApiItem): string => displayName.replace(/_\d+$/, '');

function symbolsOf(items: readonly ApiItem[]): ReferenceSymbol[] {
  const names = new Map<string, ApiItem[]>();
  for (const item of items) names.set(nameOf(item), [...(names.get(nameOf(item)) ?? []), item]);
  return [...names].map(([name, items]) => ({ name, items })).sort((a, b) => byName(a.name, b.name));
}

/** The exported names that the package of an entry does not declare; the model of API Extractor leaves them out. */
function othersOf(root: string, entry: string, symbols: readonly ReferenceSymbol[]): [string, string][] {
  const own = new Set(symbols.map(({ name }) => name));
  const entries = new Entries(root, publicPackages(root));
  const source = readFileSync(entries.entries().get(entry) ?? '', 'utf8');
  return [...entries.of(entry)]
    .filter(([name]) => !own.has(name))
    .map(([name, [declaration]]): [string, string] => {
      const [, other = ''] = /\/packages\/([\w-]+)\//.exec(declaration?.file ?? '') ?? [];
      return [name, other === '' ? originOf(name, source) : `@msg/${other}`];
    })
    .sort(([a], [b]) => byName(a, b));
}

/** The package that an entry takes a name from which is not ours. */
function originOf(name: string, source: string): string {
  const [, origin] =
    new RegExp(`export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)'`).exec(source) ?? [];
  if (origin === undefined) throw new Error(`${name} is exported, and declared nowhere`);
  return origin;
}
