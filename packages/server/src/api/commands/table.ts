import type { RealtimeNode } from '@msg/engine';
import { clusterCommands } from './cluster.ts';
import { type ConnectionCommandParts, connectionCommands } from './connections.ts';
import { type PublishCommandParts, publishCommands } from './publish.ts';
import { readCommands } from './reads.ts';
import { type ApiCommandName, type ApiCommandRow, type ApiCommands, COMMAND_RIGHTS } from './rights.ts';
import { type ApiRpc, rpcCommand } from './rpc.ts';
import { tokenCommands } from './tokens.ts';

export interface CommandParts extends PublishCommandParts {
  readonly node: () => RealtimeNode;
  readonly options: ConnectionCommandParts['options'];
  readonly clock: ConnectionCommandParts['clock'];
  readonly view: Parameters<typeof clusterCommands>[0];
  readonly maxChannels: number;
  readonly revocations: Parameters<typeof tokenCommands>[0];
  readonly apiRpc?: ApiRpc | undefined;
}

/** The commands of the API by name, without `batch`, which contains other commands. */
export function commandTable(parts: CommandParts): ReadonlyMap<string, ApiCommandRow> {
  const commands: ApiCommands = {
    ...publishCommands(parts),
    ...connectionCommands(parts),
    ...readCommands(parts),
    ...clusterCommands(parts.view, parts.maxChannels),
    ...tokenCommands(parts.revocations),
    rpc: rpcCommand(parts.apiRpc),
  };
  const names = Object.keys(COMMAND_RIGHTS) as ApiCommandName[]; // its own keys
  return new Map(names.map(name => [name, { run: commands[name], rights: COMMAND_RIGHTS[name] }]));
}

/** The numbers of commands in the older form, by position. */
export const COMMAND_NUMBERS: readonly string[] = [
  'publish',
  'broadcast',
  'unsubscribe',
  'disconnect',
  'presence',
  'presence_stats',
  'history',
  'history_remove',
  'channels',
  'info',
  'rpc',
  'subscribe',
  'refresh',
];

/** Members of commands whose values are kept as JSON text, by command. */
export const SOURCES: Readonly<Record<string, readonly string[]>> = {
  publish: ['data'],
  broadcast: ['data'],
  subscribe: ['data', 'info'],
  refresh: ['info'],
  rpc: ['params'],
};
