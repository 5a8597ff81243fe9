import type { Argument } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { type MsgCommand, rpcCommand } from './command.ts';
import type { CliEnvironment } from './io.ts';
import { PUBLICATION_SETTINGS, readSource } from './publish.ts';

const PATTERN: Argument = { name: 'pattern', help: 'a registered pattern' };

/** The source of a channel pattern's JSON. */
const SOURCE = {
  data: { ...PUBLICATION_SETTINGS.data, help: 'the channel pattern as JSON' },
  file: { ...PUBLICATION_SETTINGS.file, help: 'a file with the channel pattern as JSON' },
} as const;

async function readSchema(
  io: CliEnvironment,
  { data, file }: { readonly data: string | undefined; readonly file: string | undefined },
): Promise<unknown> {
  const bytes = await readSource(io, data, file);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'the channel pattern is not JSON', { cause });
  }
}

const listSchemas = rpcCommand({
  name: 'schemas list',
  summary: 'every registered channel pattern with its current version',
  method: 'ListSchemas',
  examples: [{ line: 'schemas list', help: 'the snapshot, as /msg/schemas answers it' }],
  async action(call) {
    return { kind: 'msg.schemas.list', payload: await call({}) };
  },
});

const getSchema = rpcCommand({
  name: 'schemas get',
  args: [PATTERN],
  summary: 'a channel pattern with its history',
  method: 'GetSchema',
  examples: [{ line: "schemas get 'public:shop.order.{id}'", help: 'all versions, the current one last' }],
  async action(call, { args: [pattern = ''] }) {
    return { kind: 'msg.schemas.get', payload: await call({ pattern }) };
  },
});

const register = rpcCommand({
  name: 'schemas register',
  summary: 'add a channel pattern: --data, --file, or standard input',
  method: 'RegisterSchema',
  settings: SOURCE,
  examples: [{ line: 'schemas register --file order.json', help: 'version 0 or none becomes 1' }],
  async action(call, { settings, io }) {
    return { kind: 'msg.schemas.register', payload: await call({ schema: await readSchema(io, settings) }) };
  },
});

const update = rpcCommand({
  name: 'schemas update',
  summary: 'replace the current version of a channel pattern, and say what that breaks',
  detail: 'Breaking updates are carried out too: `msg schemas check` tells before.',
  method: 'UpdateSchema',
  settings: SOURCE,
  examples: [{ line: 'schemas update --file order.json', help: 'version 0 or none becomes the next one' }],
  async action(call, { settings, io }) {
    return { kind: 'msg.schemas.update', payload: await call({ schema: await readSchema(io, settings) }) };
  },
});

const deregister = rpcCommand({
  name: 'schemas deregister',
  args: [PATTERN],
  summary: 'remove a channel pattern with its history',
  method: 'DeregisterSchema',
  examples: [
    { line: "schemas deregister 'public:shop.order.{id}'", help: 'subscribers of the broadcast are told' },
  ],
  async action(call, { args: [pattern = ''] }) {
    return { kind: 'msg.schemas.deregister', payload: await call({ pattern }) };
  },
});

const check = rpcCommand({
  name: 'schemas check',
  summary: 'what an update would mean for readers: compatible or not, and every change',
  method: 'CheckSchema',
  settings: SOURCE,
  examples: [{ line: 'schemas check --file order.json', help: 'with the JSON paths that break' }],
  async action(call, { settings, io }) {
    return { kind: 'msg.schemas.check', payload: await call({ schema: await readSchema(io, settings) }) };
  },
});

/** `schemas …`. */
export const schemaCommands: readonly MsgCommand[] = [
  listSchemas,
  getSchema,
  register,
  update,
  deregister,
  check,
];
