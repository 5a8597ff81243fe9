import { type ParseArgsConfig, parseArgs } from 'node:util';
import { MUTANTS } from '../mutants/mutants.ts';
import { switchesOf, takesHours, wordOf } from '../plan/classes.ts';
import type { Switches, SwitchValue } from '../plan/switches.ts';
import { WORLD_NAMES } from '../world/names.ts';
import { nearest } from './nearest.ts';

const COMMANDS = [
  'play',
  'diff',
  'shrink',
  'replay',
  'view',
  'emit',
  'adopt',
  'mutants',
  'bench',
  'ci',
] as const;
/** Commands that take the file of a plan. */
const WITH_FILE: readonly string[] = ['replay', 'view', 'emit', 'adopt'];

/** Seeds that `bench` plays of each class. */
const BENCH_SEEDS = '20';

/** What `emit` can print. */
const FORMS: readonly string[] = ['test'];

/** A command line that cannot be followed; the message says what to do. */
export class BadUse extends Error {
  override readonly name = 'BadUse';
}

/** What a command line asks for. */
export interface Arguments {
  readonly command: (typeof COMMANDS)[number];
  readonly seed: number;
  readonly seeds: number;
  readonly world: string;
  /** Whether the command names it; else it is the first one. */
  readonly namesWorld: boolean;
  /** Switches that are not drawn. */
  readonly switches: Switches;
  /** How long a run is; undefined: as its class says. */
  readonly hours: number | undefined;
  /** A planted bug; undefined: none. */
  readonly mutant: string | undefined;
  /** The file of a plan; empty: the command takes none. */
  readonly file: string;
  /** What an adopted plan is called; empty: not given. */
  readonly name: string;
  /** What was found is written into the page about the proof. */
  readonly write: boolean;
}

/** @throws BadUse */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = readOptions(args, OPTIONS);
  const command = oneOf('command', COMMANDS, positionals[0] ?? 'play');
  const takesFile = WITH_FILE.includes(command);
  if (takesFile && positionals.length !== 2) throw new BadUse(`${command} takes one file`);
  if (!takesFile && positionals.length > 1)
    throw new BadUse(`one command is expected; got ${positionals.join(' ')}`);
  oneOf('form', FORMS, values.as ?? 'test');
  const world = oneOf('class', WORLD_NAMES, values.class ?? WORLD_NAMES[0]);
  return {
    command,
    world,
    namesWorld: values.class !== undefined,
    seed: whole('seed', values.seed ?? '1'),
    seeds: whole('seeds', values.seeds ?? (command === 'bench' ? BENCH_SEEDS : '1')),
    switches: readSwitches(world, values.switch ?? []),
    hours: readHours(world, values.hours),
    mutant: mutantOf(values.mutant),
    file: positionals[1] ?? '',
    name: values.name ?? '',
    write: values.write ?? false,
  };
}

const MUTANT_NAMES = MUTANTS.map(({ name }) => name);
const OPTIONS = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  class: { type: 'string' },
  switch: { type: 'string', multiple: true },
  hours: { type: 'string' },
  mutant: { type: 'string' },
  name: { type: 'string' },
  as: { type: 'string' },
  write: { type: 'boolean' },
} as const;

/** Options and words of a command line. @throws BadUse naming the nearest option */
export function readOptions<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw unknownOption(error, Object.keys(options));
  }
}

/** A planted bug that an option names. @throws BadUse naming the nearest one */
export function mutantOf(name: string | undefined): string | undefined {
  return name === undefined ? undefined : oneOf('mutant', MUTANT_NAMES, name);
}

/** What `parseArgs` refused, as bad use that names the nearest option. @throws whatever else it threw */
function unknownOption(error: unknown, names: readonly string[]): BadUse {
  const message = error instanceof Error ? error.message : '';
  const word = /'--(?<word>[\w-]+)/.exec(message)?.groups?.['word'];
  if (word === undefined) throw error;
  if (names.includes(word)) return new BadUse(`--${word} needs a value`);
  return new BadUse(`option --${word} is not known; the nearest is --${nearest(word, names)}`);
}

function readSwitches(world: string, texts: readonly string[]): Switches {
  const table = switchesOf(world);
  if (texts.length > 0 && table.length === 0) throw new BadUse(`class ${world} has no switches`);
  return Object.fromEntries(texts.map(text => readSwitch(table, text)));
}

function readSwitch(table: ReturnType<typeof switchesOf>, text: string): [name: string, value: SwitchValue] {
  const [word = '', ...rest] = text.split('=');
  const name = oneOf(
    'switch',
    table.map(each => each.name),
    word,
  );
  const values = table.find(each => each.name === name)?.values ?? [];
  const chosen = oneOf(`${name}:`, values.map(wordOf), rest.join('='));
  return [name, values.find(value => wordOf(value) === chosen) as SwitchValue]; // oneOf found it
}

function readHours(world: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!takesHours(world)) throw new BadUse(`class ${world} has a length of its own`);
  if (/^\d{1,5}(\.\d{1,6})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new BadUse(`--hours must be a number above 0; got ${JSON.stringify(text)}`);
}

/** @throws BadUse naming the nearest word */
export function oneOf<T extends string>(what: string, words: readonly T[], word: string): T {
  const match = words.find(candidate => candidate === word);
  if (match !== undefined) return match;
  throw new BadUse(`${what} "${word}" is not known; the nearest is "${nearest(word, words)}"`);
}

/** @throws BadUse */
export function whole(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new BadUse(`--${name} must be a whole number; got ${JSON.stringify(text)}`);
}
