import { authzCommands } from './authz.ts';
import { channelCommands } from './channels.ts';
import type { CommandSpec } from './command.ts';
import { completionCommand } from './completion/command.ts';
import { configCommands } from './config.ts';
import { dlqCommands } from './dlq.ts';
import { keyCommands } from './keys.ts';
import { loginCommands } from './login.ts';
import { manifestCommands } from './manifest.ts';
import { publishCommands } from './publish.ts';
import { publishOrSinkCommands } from './publish-or-sink.ts';
import { schemaCommands } from './schemas.ts';
import { serveCommands } from './serve.ts';
import { subscribeCommands } from './subscribe.ts';
import { tokenCommands } from './tokens.ts';

/** What the first word of several commands stands for. */
export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  channels: 'open, create, list, inspect and delete channels',
  tokens: 'issue, refresh, revoke and inspect tokens',
  keys: 'rotate, list and move the signing keys',
  dlq: 'look after deliveries that were given up',
  schemas: 'agree on what channels carry',
  login: 'log in at an identity provider',
  config: 'check and show the settings of the server',
  authz: 'find out who may do what',
};

/** Every command of the program, in the order help and reference show them. */
export const COMMANDS: readonly CommandSpec[] = [
  ...serveCommands,
  ...channelCommands,
  ...publishCommands,
  ...publishOrSinkCommands,
  ...subscribeCommands,
  ...tokenCommands,
  ...keyCommands,
  ...dlqCommands,
  ...schemaCommands,
  ...authzCommands,
  ...manifestCommands,
  ...loginCommands,
  ...configCommands,
  completionCommand(() => COMMANDS, COMMAND_GROUPS),
];
