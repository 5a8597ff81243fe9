import { defineProgram, resolve, UsageError } from '@msg/command-line';
import { VERSION } from '../config/version.ts';
import { apiKeyCommands } from './api-keys.ts';
import { authzCommands } from './authz.ts';
import { channelCommands } from './channels.ts';
import { type MsgCommand, PROGRAM_FLAGS } from './command.ts';
import { configCommands } from './config.ts';
import { dlqCommands } from './dlq.ts';
import { errorCommands } from './errors.ts';
import { failure } from './failure.ts';
import { healthCommands } from './health.ts';
import type { CliIo } from './io.ts';
import { keyCommands } from './keys.ts';
import { loginCommands } from './login.ts';
import { manifestCommands } from './manifest.ts';
import { publishCommands } from './publish.ts';
import { publishManyCommands } from './publish-many.ts';
import { publishOrSinkCommands } from './publish-or-sink.ts';
import { schemaCommands } from './schemas.ts';
import { serveCommands } from './serve.ts';
import { subscribeCommands } from './subscribe.ts';
import { tokenCommands } from './tokens.ts';

/** The meaning of the first words that commands share. */
export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  channels: 'open, create, list, inspect and delete channels',
  tokens: 'issue, refresh, revoke and inspect tokens',
  keys: 'rotate, list and move the signing keys',
  'api-keys': 'make, rotate and revoke the keys of backends',
  dlq: 'look after deliveries that were given up',
  schemas: 'agree on what channels carry',
  login: 'log in at an identity provider',
  config: 'check and show the settings of the server',
  authz: 'explain access decisions',
};

/** In the order of help and reference. */
const ROWS: readonly MsgCommand[] = [
  ...serveCommands,
  ...channelCommands,
  ...publishCommands,
  ...publishManyCommands,
  ...publishOrSinkCommands,
  ...subscribeCommands,
  ...tokenCommands,
  ...keyCommands,
  ...apiKeyCommands,
  ...dlqCommands,
  ...schemaCommands,
  ...authzCommands,
  ...manifestCommands,
  ...loginCommands,
  ...configCommands,
  ...healthCommands,
  ...errorCommands,
];

const DETAIL = `
Results are JSON envelopes on standard output, code 0. Failures are a line
\`error: <code>: <text>\` on standard error, what to try below it, code 1.

Environment of the commands that ask a server:
  MSG_SERVER  base address of the service
  MSG_TOKEN   management bearer; without one, what \`msg login\` stored

Examples:
  msg serve --state-dir ./state
  msg channels open public:shop.news
  msg errors MSG_AUTH_DENIED
  msg <command> --help
      what a command does, with examples`;

/** `msg --json`: the manifest of a fresh default instance; no server is contacted. */
const printManifest: MsgCommand = {
  name: '',
  summary: 'print the manifest of a fresh instance',
  settings: {},
  async run({ sources, io }) {
    if (!resolve(PROGRAM_FLAGS.json, sources))
      throw new UsageError('a command is required', { remedy: 'msg --help' });
    const { Msg } = await import('../msg.ts');
    const msg = await Msg.create();
    io.out(`${JSON.stringify(msg.manifest(), null, 2)}\n`);
  },
};

/** The program `msg`. */
export const MSG = defineProgram<CliIo>({
  name: 'msg',
  summary: 'realtime messaging service',
  version: `version ${VERSION}`,
  commands: ROWS,
  groups: COMMAND_GROUPS,
  root: printManifest,
  settings: PROGRAM_FLAGS,
  detail: DETAIL,
  failure,
});

/** Every command of the program, in the order of help and reference. */
export const COMMANDS: readonly MsgCommand[] = MSG.commands;
