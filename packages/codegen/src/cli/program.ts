import { readFileSync } from 'node:fs';
import {
  command,
  defaultFlag,
  defineProgram,
  type ProgramIo,
  type Resolved,
  type SettingType,
  scalarType,
  switchFlag,
  textFlag,
  UsageError,
  valueFlag,
} from '@msg/command-line';
import { FILES, type GenerateOptions, generate, type Language, staleFiles, writeFiles } from '../generate.ts';
import { load, registryUrl, type Source } from '../source.ts';
import { watchRegistry } from '../watch.ts';

const GO_KEYWORDS = new Set(
  (
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package ' +
    'range return select struct switch type var _'
  ).split(' '),
);

const languages: SettingType<readonly Language[]> = scalarType<readonly Language[]>({
  placeholder: 'list',
  parse(list) {
    const names = [...new Set(list.split(',').map(name => name.trim()))];
    return names.every((name): name is Language => Object.hasOwn(FILES, name)) ? names : undefined;
  },
  format: names => names.join(','),
  expected: `one or more of ${Object.keys(FILES).join(', ')}, separated by commas`,
});

const goPackage: SettingType<string> = scalarType({
  placeholder: 'name',
  parse: name => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !GO_KEYWORDS.has(name) ? name : undefined),
  format: name => name,
  expected: 'a Go package name',
});

const SETTINGS = {
  registry: textFlag('--registry', 'url', "the registry's snapshot; a bare origin gets /msg/schemas"),
  registryFile: textFlag('--registry-file', 'path', 'a file with a snapshot'),
  out: defaultFlag('--out', 'dir', './gen', 'directory of the output, made when it is missing'),
  lang: valueFlag('--lang', languages, ['go'], 'languages, separated by commas: go, ts'),
  package: valueFlag('--package', goPackage, 'parsecgen', 'package of the Go file'),
  header: defaultFlag('--header', 'text', '', 'text that every file begins with'),
  check: switchFlag('--check', 'write nothing; exit 1 when a file is not what would be written'),
  watch: switchFlag('--watch', 'go on, and write again after each change of the registry'),
} as const;

type Settings = Resolved<typeof SETTINGS>;

function sourceOf({ registry, registryFile }: Settings): Source {
  if (registry !== undefined && registryFile === undefined)
    return { kind: 'registry', url: registryUrl(registry) };
  if (registry === undefined && registryFile !== undefined) return { kind: 'file', path: registryFile };
  throw new UsageError('exactly one of --registry and --registry-file is required');
}

/** Returns the exit code of `--check`. */
async function check(source: Source, options: GenerateOptions, out: string, io: ProgramIo): Promise<number> {
  const stale = await staleFiles(out, generate(await load(source), options));
  for (const path of stale) io.err(`msg-gen: ${path} is stale\n`);
  return stale.length === 0 ? 0 : 1;
}

async function write(source: Source, options: GenerateOptions, out: string, io: ProgramIo): Promise<void> {
  const patterns = await load(source);
  for (const path of await writeFiles(out, generate(patterns, options)))
    io.err(`wrote ${path} (${patterns.length} patterns)\n`);
}

async function watch(
  source: Source & { readonly kind: 'registry' },
  options: GenerateOptions,
  out: string,
  io: ProgramIo,
): Promise<void> {
  await watchRegistry({
    origin: source.url.origin,
    signal: io.interrupted(),
    onLost: reason => io.err(`msg-gen: ${reason}; trying again\n`),
    async onChange() {
      const patterns = await load(source);
      const files = generate(patterns, options);
      const stale = new Set(await staleFiles(out, files));
      if (stale.size === 0) return;
      for (const path of await writeFiles(out, files))
        io.err(`wrote ${path} (${patterns.length} patterns)\n`);
    },
  });
}

/** `msg-gen` without a command. */
const generator = command<ProgramIo, typeof SETTINGS>({
  name: '',
  summary: 'write typed code for the channels of a schema registry',
  settings: SETTINGS,
  examples: [
    { line: '--registry http://localhost:8000 --lang go,ts --out ./gen', help: 'from a running service' },
    { line: '--registry-file schemas.json --lang ts --check', help: 'in a pipeline' },
  ],
  async run({ settings, io }) {
    const source = sourceOf(settings);
    const { out, header } = settings;
    const options = { languages: settings.lang, packageName: settings.package, header };
    if (settings.check) return check(source, options, out, io);
    if (settings.watch && source.kind !== 'registry')
      throw new UsageError('--watch is not allowed with --registry-file: a file announces no changes');
    // With --watch the first run, too, fails at once for a bad address or registry; later errors may be temporary.
    await write(source, options, out, io);
    if (settings.watch && source.kind === 'registry') await watch(source, options, out, io);
    return undefined;
  },
});

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version; // our own package.json
}

/** The program `msg-gen`: exit code 0, or 1 with `msg-gen: <text>` on standard error. */
export const MSG_GEN = defineProgram<ProgramIo>({
  name: 'msg-gen',
  summary: 'Typed code for the channels of a schema registry.',
  version: version(),
  commands: [],
  root: generator,
  failure: error => ({
    text: `msg-gen: ${error instanceof Error ? error.message : String(error)}`,
    exitCode: 1,
  }),
});
