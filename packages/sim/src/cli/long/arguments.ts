import { availableParallelism } from 'node:os';
import { WORLD_NAMES } from '../../world/names.ts';
import { BadUse, oneOf, readOptions, whole } from '../arguments.ts';
import { RESULT } from './result.ts';
import { STATE } from './state.ts';
import { readUntil, type Until } from './until.ts';

const COMMANDS = ['play', 'add'] as const;
/** Every class but the kernel alone, which promises nothing. */
const CLASSES = WORLD_NAMES.filter(name => name !== 'bare');

const OPTIONS = {
  until: { type: 'string' },
  workers: { type: 'string' },
  class: { type: 'string' },
  'max-failures': { type: 'string' },
  from: { type: 'string' },
  state: { type: 'string' },
  result: { type: 'string' },
} as const;

/** What a command line of `npm run sim:long` asks for. */
export interface LongArguments {
  readonly command: (typeof COMMANDS)[number];
  readonly until: Until;
  readonly workers: number;
  /** Classes that are played in turn. */
  readonly classes: readonly string[];
  /** Their name in the piece: one class, or `all`. */
  readonly class: string;
  readonly maxFailures: number;
  /** The first seed; undefined: the one behind all recorded pieces. */
  readonly from: number | undefined;
  /** The folder of the piece under way. */
  readonly state: string;
  /** The file of the recorded pieces. */
  readonly result: string;
}

/** @throws BadUse */
export function readLongArguments(args: readonly string[]): LongArguments {
  const { values, positionals } = readOptions(args, OPTIONS);
  if (positionals.length > 1) throw new BadUse(`one command is expected; got ${positionals.join(' ')}`);
  const command = oneOf('command', COMMANDS, positionals[0] ?? 'play');
  if (command === 'play' && values.until === undefined)
    throw new BadUse('--until is missing: deliveries=1e9, hours=1e5 or time=8h');
  const world = values.class === undefined ? undefined : oneOf('class', CLASSES, values.class);
  return {
    command,
    until: readUntil(values.until ?? 'time=1s'),
    workers: atLeastOne('workers', values.workers ?? String(availableParallelism())),
    classes: world === undefined ? CLASSES : [world],
    class: world ?? 'all',
    maxFailures: atLeastOne('max-failures', values['max-failures'] ?? '10'),
    from: values.from === undefined ? undefined : atLeastOne('from', values.from),
    state: values.state ?? STATE,
    result: values.result ?? RESULT,
  };
}

function atLeastOne(name: string, text: string): number {
  const number = whole(name, text);
  if (number > 0) return number;
  throw new BadUse(`--${name} must be a whole number of at least 1; got ${JSON.stringify(text)}`);
}
