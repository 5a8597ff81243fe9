import { defineProgram, UsageError } from '@msg/command-line';
import { resolve } from '@msg/command-line/internal';
import { VERSION } from '../config/version.ts';
import { apiKeyCommands } from './api-keys.ts';
import { appendCommands } from './append.ts';
import { auditCommands } from './audit.ts';
import { authzCommands } from './authz.ts';
import { channelCommands } from './channels.ts';
import { type MsgCommand, PROGRAM_FLAGS } from './command.ts';
import { configCommands } from './config.ts';
import { connectionCommands } from './connections.ts';
import { consoleCommands } from './console.ts';
import { dlqCommands } from './dlq.ts';
import { errorCommands } from './errors.ts';
import { failure } from './failure.ts';
import { feedCommands } from './feeds.ts';
import { healthCommands } from './health.ts';
import type { CliEnvironment } from './io.ts';
import { keyCommands } from './keys.ts';
import { loginCommands } from './login.ts';
import { manifestCommands } from './manifest.ts';
import { nodeCommands } from './nodes.ts';
import { outboxCommands } from './outbox.ts';
import { publishCommands } from './publish.ts';
import { publishManyCommands } from './publish-many.ts';
import { publishOrSinkCommands } from './publish-or-sink.ts';
import { recordingCommands } from './recordings.ts';
import { schemaCommands } from './schemas.ts';
import { serveCommands } from './serve.ts';
import { streamCommands } from './streams.ts';
import { subscribeCommands } from './subscribe.ts';
import { tokenCommands } from './tokens.ts';
import { vapidCommands } from './vapid.ts';
import { whoAmICommands } from './whoami.ts';

/** The meaning of the first words that commands share. */
export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  channels: 'open, create, list, inspect and delete channels',
  streams: 'see and stop messages that grow',
  tokens: 'issue, refresh, revoke and inspect tokens',
  keys: 'rotate, list and move the signing keys',
  'api-keys': 'make, rotate and revoke the keys of backends',
  connections: 'see and end live connections',
  feeds: 'let the service tell what happens',
  recordings: 'see what passes between a client and the service',
  users: 'see who is connected',
  nodes: 'see whether the nodes are well',
  dlq: 'look after deliveries that were given up',
  outbox: 'look after publications that PostgreSQL transactions commit',
  'outbox dead': 'see, retry and remove rows that were given up',
  vapid: 'make the keys of Web Push',
  schemas: 'agree on what channels carry',
  login: 'log in at an identity provider',
  config: 'check and show the settings of the server',
  authz: 'explain access decisions',
  audit: 'see who changed what',
};

/** In the order of help and reference. */
const ROWS: readonly MsgCommand[] = [
  ...serveCommands,
  ...channelCommands,
  ...publishCommands,
  ...publishManyCommands,
  ...publishOrSinkCommands,
  ...appendCommands,
  ...streamCommands,
  ...subscribeCommands,
  ...tokenCommands,
  ...keyCommands,
  ...apiKeyCommands,
  ...dlqCommands,
  ...outboxCommands,
  ...vapidCommands,
  ...schemaCommands,
  ...connectionCommands,
  ...recordingCommands,
  ...feedCommands,
  ...nodeCommands,
  ...authzCommands,
  ...whoAmICommands,
  ...consoleCommands,
  ...auditCommands,
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
export const MSG = defineProgram<CliEnvironment>({
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
