import { readFileSync } from 'node:fs';
import { MsgError } from '@msg/core';
import { Command, CommanderError } from 'commander';
import { FILES, type GenerateOptions, generate, type Language, staleFiles, writeFiles } from '../generate.ts';
import { load, registryUrl, type Source } from '../source.ts';
import { watchRegistry } from '../watch.ts';

interface Flags {
  readonly registry?: string;
  readonly registryFile?: string;
  readonly out: string;
  readonly lang: string;
  readonly package: string;
  readonly header: string;
  readonly check?: true;
  readonly watch?: true;
}

const GO_KEYWORDS = new Set(
  (
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package ' +
    'range return select struct switch type var _'
  ).split(' '),
);

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

function program(): Command {
  return new Command('msg-gen')
    .description('Typed code for the channels of a schema registry.')
    .option('--registry <url>', "the registry's snapshot; a bare origin gets /msg/schemas")
    .option('--registry-file <path>', 'a file with a snapshot')
    .option('--out <dir>', 'directory of the output, made when it is missing', './gen')
    .option('--lang <list>', 'languages, separated by commas: go, ts', 'go')
    .option('--package <name>', 'package of the Go file', 'parsecgen')
    .option('--header <text>', 'text that every file begins with', '')
    .option('--check', 'write nothing; exit 1 when a file is not what would be written')
    .option('--watch', 'go on, and write again after each change of the registry')
    .version(version(), '--version', 'print the version')
    .addHelpText(
      'after',
      `
Examples:
  msg-gen --registry http://localhost:8000 --lang go,ts --out ./gen
  msg-gen --registry-file schemas.json --lang ts --check`,
    )
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .allowExcessArguments(false);
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version; // our own package.json
}

function sourceOf({ registry, registryFile }: Flags): Source {
  if ((registry === undefined) === (registryFile === undefined))
    throw invalid('give exactly one of --registry and --registry-file');
  if (registry !== undefined) return { kind: 'registry', url: registryUrl(registry) };
  return { kind: 'file', path: registryFile ?? '' };
}

function languagesOf(list: string): readonly Language[] {
  const names = [...new Set(list.split(',').map(name => name.trim()))];
  return names.map(name => {
    if (!Object.hasOwn(FILES, name)) throw invalid(`--lang: ${JSON.stringify(name)} is none of go, ts`);
    return name as Language; // a key of the table
  });
}

function packageOf(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !GO_KEYWORDS.has(name)) return name;
  throw invalid(`--package: ${JSON.stringify(name)} is no Go package name`);
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

async function run(flags: Flags): Promise<number> {
  const source = sourceOf(flags);
  const options: GenerateOptions = {
    languages: languagesOf(flags.lang),
    packageName: packageOf(flags.package),
    header: flags.header,
  };
  if (flags.check) return check(source, options, flags.out);
  if (!flags.watch) {
    await write(source, options, flags.out);
    return 0;
  }
  if (source.kind !== 'registry') throw invalid('--watch needs --registry');
  await watch(source, options, flags.out);
  return 0;
}

async function check(source: Source, options: GenerateOptions, out: string): Promise<number> {
  const stale = await staleFiles(out, generate(await load(source), options));
  for (const path of stale) say(`msg-gen: ${path} is stale`);
  return stale.length === 0 ? 0 : 1;
}

async function write(source: Source, options: GenerateOptions, out: string): Promise<void> {
  const patterns = await load(source);
  for (const path of await writeFiles(out, generate(patterns, options)))
    say(`wrote ${path} (${patterns.length} patterns)`);
}

async function watch(
  source: Source & { readonly kind: 'registry' },
  options: GenerateOptions,
  out: string,
): Promise<void> {
  // The first run tells of a bad address or registry at once; later faults may pass.
  await write(source, options, out);
  await watchRegistry({
    origin: source.url.origin,
    signal: interruption(),
    onLost: reason => say(`msg-gen: ${reason}; trying again`),
    async onChange() {
      const patterns = await load(source);
      const files = generate(patterns, options);
      const stale = new Set(await staleFiles(out, files));
      if (stale.size === 0) return;
      for (const path of await writeFiles(out, files)) say(`wrote ${path} (${patterns.length} patterns)`);
    },
  });
}

/** Entry of the command line: exit code 0, or 1 with `msg-gen: <text>` on standard error. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever read the output has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  try {
    const flags = program()
      .parse([...argv])
      .opts<Flags>();
    process.exitCode = await run(flags);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const text = error instanceof Error ? error.message.replace(/^error: /, '') : String(error);
    say(`msg-gen: ${text}`);
    process.exitCode = 1;
  }
}
