import { type Answer, MapAnswer, VerbatimText } from '../answer.ts';
import type { CommandContext, CommandRow, ContainerRow } from '../command.ts';
import type { CommandFlag } from '../command-traits.ts';
import { matchesGlob } from '../glob.ts';
import { type Bytes, Status } from '../reply.ts';
import type { RedisState } from '../state.ts';
import { modeOf, VERSION } from './connection.ts';

const FLAGS: readonly CommandFlag[] = ['always'];

export const SERVER_COMMANDS: readonly (CommandRow | ContainerRow)[] = [
  { name: 'time', arity: 1, flags: FLAGS, run: (_, { state }) => time(state.options.nowUs()) },
  { name: 'info', arity: -1, flags: FLAGS, run: info },
  {
    name: 'config',
    subcommands: [{ name: 'config|get', arity: -3, flags: ['always', 'noScript'], run: configured }],
  },
  { name: 'command', subcommands: [{ name: 'command|info', arity: -2, flags: FLAGS, run: commandInfo }] },
];

function time(nowUs: number): Answer {
  return [String(Math.floor(nowUs / 1_000_000)), String(nowUs % 1_000_000)];
}

/** What the library reads of a server that is up. */
function info(_: readonly Bytes[], { state }: CommandContext): Answer {
  const lines = [
    '# Server',
    `redis_version:${VERSION}`,
    `redis_mode:${modeOf(state)}`,
    '# Clients',
    `connected_clients:${state.clients.size}`,
    '# Persistence',
    `loading:${state.isLoading ? 1 : 0}`,
    '# Replication',
    ...replication(state),
  ];
  return new VerbatimText(`${lines.join('\r\n')}\r\n`);
}

function replication({ master, replicas }: RedisState): readonly Bytes[] {
  if (master === undefined) return ['role:master', `connected_slaves:${replicas}`];
  return ['role:slave', `master_host:${master.host}`, `master_port:${master.port}`, 'master_link_status:up'];
}

const CONFIG: readonly (readonly [Bytes, Bytes])[] = [
  ['appendfsync', 'everysec'],
  ['appendonly', 'yes'],
  ['databases', '16'],
  ['hash-max-listpack-entries', '512'],
  ['hash-max-listpack-value', '64'],
  ['maxmemory', '0'],
  ['maxmemory-policy', 'noeviction'],
];

function configured([, , ...patterns]: readonly Bytes[]): Answer {
  const lower = patterns.map(pattern => pattern.toLowerCase());
  const parameters = CONFIG.filter(([name]) => lower.some(pattern => matchesGlob(pattern, name)));
  return new MapAnswer(parameters.flat());
}

/** Name, words and places of keys of each; null for one that is not known. */
function commandInfo([, , ...names]: readonly Bytes[], { commands }: CommandContext): Answer {
  return names.map(name => {
    const row = commands.lookUp([name]);
    if (row === undefined || typeof row === 'string') return null;
    const [first, last, step] = row.keys ?? [0, 0, 0];
    const flags = (row.flags ?? []).filter(flag => flag === 'write').map(flag => new Status(flag));
    return [row.name, row.arity, flags, first, last, step, [], [], [], []];
  });
}
