import { type Argument, defaultFlag, list, valueFlag } from '@msg/command-line';
import { defined } from '@msg/foundation/json';
import { type MsgCommand, rpcCommand } from './command.ts';
import { exportKeys } from './keys-export.ts';
import { importKeys } from './keys-import.ts';
import { rotateKeys } from './keys-rotate.ts';
import { syncKeys } from './keys-sync.ts';
import { type NodeReport, notifyNode } from './notify-node.ts';

const KID: Argument = { name: 'kid', help: 'key id, as `msg keys list` shows it' };

const listKeys = rpcCommand({
  name: 'keys list',
  summary: 'the signing keys; a key retired meanwhile is shown once',
  method: 'ListKeys',
  examples: [{ line: 'keys list', help: 'ids, roles and fingerprints, never secrets' }],
  async action(call) {
    const { active_key_id, keys } = await call({});
    return { kind: 'msg.keys.list', payload: { active_key_id, keys } };
  },
});

const generate = rpcCommand({
  name: 'keys generate',
  summary: 'add a key that verifies but does not sign yet',
  method: 'GenerateKey',
  settings: {
    alg: defaultFlag(
      '--alg',
      'text',
      'HS256',
      'algorithm of the key: HS256, or RS256, EdDSA, ES256, ES384, whose public half is at /msg/jwks.json',
    ),
  },
  examples: [
    { line: 'keys generate', help: 'the first step of a rotation' },
    { line: 'keys generate --alg EdDSA', help: 'a key whose tokens others can verify' },
  ],
  async action(call, { settings: { alg } }) {
    return { kind: 'msg.key.generated', payload: await call({ alg }) };
  },
});

const promote = rpcCommand({
  name: 'keys promote',
  args: [KID],
  summary: 'let a key sign; the one before only verifies from then on',
  method: 'PromoteKey',
  examples: [{ line: 'keys promote k-0a1b2c3d4e5f', help: 'the second step of a rotation' }],
  async action(call, { args: [id = ''] }) {
    await call({ id });
    return { kind: 'msg.key.promoted', payload: { id } };
  },
});

const retire = rpcCommand({
  name: 'keys retire',
  args: [KID],
  summary: 'end a key: what it signed is refused from now on',
  detail:
    'After the key is retired, each --notify peer is told to reload its keyring. A peer that fails is reported ' +
    'in the envelope and changes nothing. Retiring the active key promotes the newest other one.',
  method: 'RetireKey',
  settings: {
    notify: valueFlag('--notify', list, [], 'address of a node that shares the keyring; repeatable'),
  },
  examples: [
    { line: 'keys retire k-0a1b2c3d4e5f', help: 'the last step of a rotation' },
    { line: 'keys retire k-0a1b2c3d4e5f --notify http://node-b:8000', help: 'and tell another node' },
  ],
  async action(call, { args: [id = ''], settings: { notify }, token, io }) {
    await call({ id });
    const notified: NodeReport[] = [];
    for (const url of notify) notified.push(await notifyNode(io, url, token));
    return {
      kind: 'msg.key.retired',
      payload: { id, ...defined({ notified: notified.length === 0 ? undefined : notified }) },
    };
  },
});

const reload = rpcCommand({
  name: 'keys reload',
  summary: 'let the server read its keyring again, as SIGHUP does',
  method: 'ReloadKeys',
  examples: [{ line: 'keys reload', help: 'after `msg keys import`' }],
  async action(call) {
    await call({});
    return { kind: 'msg.keys.reloaded', payload: { ok: true } };
  },
});

const usage = rpcCommand({
  name: 'keys usage',
  summary: 'which key may be retired, and who still depends on each',
  detail:
    '`safe`: nothing depends on it; `in_use`: live connections or subscriptions rest on it; `wait`: tokens of it have not ended, ' +
    'see `wait_until`; `unknown`: what it signed before the record began, or on a silent node, is not known. Holders are ' +
    'those seen last.',
  method: 'KeyUsage',
  examples: [{ line: 'keys usage', help: 'before `msg keys retire`' }],
  async action(call) {
    return { kind: 'msg.keys.usage', payload: await call({}) };
  },
});

/** `keys …`. */
export const keyCommands: readonly MsgCommand[] = [
  listKeys,
  usage,
  rotateKeys,
  generate,
  promote,
  retire,
  reload,
  exportKeys,
  importKeys,
  syncKeys,
];
