import { carries, type MethodRights, reads, targets, writes } from '@msg/core/internal';
import type { ApiCommand } from '../command.ts';

const CHANNEL = targets('channel', 'channel');
const USER = targets('user', 'user');

/**
 * The roles that the commands of the API need, and what the audit records: the columns of the method table, for commands.
 * Source: console, sections 5 and 6; the application developer's side 2.7.
 */
export const COMMAND_RIGHTS = {
  publish: carries('operator', CHANNEL),
  broadcast: carries('operator'),
  subscribe: carries('operator', CHANNEL),
  unsubscribe: carries('operator', USER, ['channel']),
  disconnect: writes('operator', USER, ['client']),
  refresh: writes('operator', USER, ['client', 'expired', 'expire_at']),
  presence: reads('viewer'),
  presence_stats: reads('viewer'),
  history: reads('viewer'),
  history_remove: writes('operator', CHANNEL),
  channels: reads('viewer'),
  info: reads('viewer'),
  revoke_token: writes('operator', targets('jti', 'uid')),
  invalidate_user_tokens: writes('operator', USER),
  // What the embedder's function does is not known here.
  rpc: carries('admin', undefined, ['method']),
} as const satisfies Readonly<Record<string, MethodRights>>;

/** The name of a command. */
export type ApiCommandName = keyof typeof COMMAND_RIGHTS;

/** One function for each command. */
export type ApiCommands = Readonly<Record<ApiCommandName, ApiCommand>>;

/** A command with its rights. */
export interface ApiCommandRow {
  readonly run: ApiCommand;
  readonly rights: MethodRights;
}
