import { CLUSTER_COMMANDS } from '../cluster/commands.ts';
import type { CommandRow, CommandTable, ContainerRow } from '../command.ts';
import { CLIENT_COMMANDS } from './clients.ts';
import { CONNECTION_COMMANDS } from './connection.ts';
import { HASH_COMMANDS } from './hashes.ts';
import { KEY_COMMANDS } from './keys.ts';
import { LIST_COMMANDS } from './lists.ts';
import { PUBSUB_COMMANDS } from './pubsub.ts';
import { SCRIPT_COMMANDS } from './scripts.ts';
import { SERVER_COMMANDS } from './server.ts';
import { SET_COMMANDS } from './sets.ts';
import { SORTED_SET_COMMANDS } from './sorted-sets.ts';
import { STREAM_COMMANDS } from './streams.ts';
import { STRING_COMMANDS } from './strings.ts';
import { TRANSACTION_COMMANDS } from './transactions.ts';

/** Every command. */
const ALL: readonly (CommandRow | ContainerRow)[] = [
  ...STRING_COMMANDS,
  ...KEY_COMMANDS,
  ...HASH_COMMANDS,
  ...LIST_COMMANDS,
  ...SET_COMMANDS,
  ...SORTED_SET_COMMANDS,
  ...STREAM_COMMANDS,
  ...PUBSUB_COMMANDS,
  ...TRANSACTION_COMMANDS,
  ...SCRIPT_COMMANDS,
  ...CONNECTION_COMMANDS,
  ...CLIENT_COMMANDS,
  ...SERVER_COMMANDS,
  ...CLUSTER_COMMANDS,
];

export const COMMAND_TABLE: CommandTable = new Map(ALL.map(row => [row.name, row]));
