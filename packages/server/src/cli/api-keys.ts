import { type Argument, valueFlag } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { systemRandom } from '@msg/foundation/clock';
import { digestOf, generateKeyText, isKeyName } from '../auth/api-keys/secret.ts';
import { duration } from '../config/setting-types.ts';
import { localCommand, type MsgCommand, printResult, rpcCommand } from './command.ts';
import { ROLE_FLAG, SCOPE_FLAGS, scopesOf } from './scope-flags.ts';
import { ttlFlag, wholeSeconds } from './ttl-flag.ts';

const NAME: Argument = { name: 'name', help: '1 to 64 of a-z, 0-9 and "-"; calls are those of key:<name>' };

const newKey = localCommand({
  name: 'api-keys new',
  args: [NAME],
  summary: 'make a key for the configuration: the text, and the lines that declare its digest',
  detail: 'Works without a server. The text is kept nowhere: put it into the secret store of the backend.',
  settings: {},
  examples: [{ line: 'api-keys new shop', help: 'the lines go under auth in the configuration file' }],
  async run({ args: [name = ''], io }) {
    if (!isKeyName(name))
      throw new MsgError('MSG_INVALID_ARGUMENT', 'name must be 1 to 64 of a-z, 0-9 and "-"');
    const { text: key, id } = generateKeyText(systemRandom);
    const yaml = `api_keys:\n  - name: ${name}\n    sha256: ${digestOf(key)}\n`;
    printResult(io, { kind: 'msg.api_key.new', payload: { name, key, id, yaml } });
  },
});

const create = rpcCommand({
  name: 'api-keys create',
  args: [NAME],
  summary: 'create a key on the server; its text is printed once',
  detail:
    'The server keeps its digest in the state directory or the shared store. Without --scope it has all rights.',
  method: 'CreateApiKey',
  settings: {
    scope: { ...SCOPE_FLAGS.scope, help: 'pattern the key allows; repeatable' },
    verb: SCOPE_FLAGS.verb,
    role: ROLE_FLAG,
    ttl: ttlFlag(0, 'lifetime of the key; 0: without an end'),
  },
  examples: [
    { line: 'api-keys create shop', help: 'with all rights of the caller' },
    {
      line: "api-keys create mail --scope 'public:mail.**' --verb publish --ttl 720h",
      help: 'narrow, for a month',
    },
    { line: 'api-keys create board --role viewer', help: 'looks, and changes nothing' },
  ],
  async action(call, { args: [name = ''], settings }) {
    const grants = scopesOf({ ...settings, denyScope: [], denyVerb: [] }).map(({ pattern, verbs }) => ({
      pattern,
      verbs,
    }));
    const { role } = settings;
    const payload = await call({ name, role, grants, ttl_seconds: wholeSeconds(settings.ttl) });
    return { kind: 'msg.api_key.created', payload };
  },
});

const listKeys = rpcCommand({
  name: 'api-keys list',
  summary: 'the API keys, declared and created, with the use of their secrets; never a key',
  method: 'ListApiKeys',
  examples: [{ line: 'api-keys list', help: 'is the old secret still in use?' }],
  async action(call) {
    const { keys } = await call({});
    return { kind: 'msg.api_keys.list', payload: { keys } };
  },
});

const rotate = rpcCommand({
  name: 'api-keys rotate',
  args: [NAME],
  summary: 'add a secret to a key; those before it end after the overlap',
  method: 'RotateApiKey',
  settings: {
    overlap: valueFlag(
      '--overlap',
      duration,
      24 * 3_600_000,
      'how long the secrets before it go on; 0: not at all',
    ),
  },
  examples: [
    { line: 'api-keys rotate shop', help: 'the old secret works for another day' },
    { line: 'api-keys rotate shop --overlap 0', help: 'a secret leaked' },
  ],
  async action(call, { args: [name = ''], settings: { overlap } }) {
    const payload = await call({ name, overlap_seconds: wholeSeconds(overlap) });
    return { kind: 'msg.api_key.rotated', payload };
  },
});

const revoke = rpcCommand({
  name: 'api-keys revoke',
  args: [NAME],
  summary: 'end a key with all its secrets, on every node within 5 s',
  method: 'RevokeApiKey',
  examples: [
    { line: 'api-keys revoke shop', help: 'a declared key is removed from the configuration instead' },
  ],
  async action(call, { args: [name = ''] }) {
    await call({ name });
    return { kind: 'msg.api_key.revoked', payload: { name } };
  },
});

/** `api-keys …`. */
export const apiKeyCommands: readonly MsgCommand[] = [newKey, create, listKeys, rotate, revoke];
