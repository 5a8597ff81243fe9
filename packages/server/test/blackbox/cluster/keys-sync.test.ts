import { eventually, runMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClusterNode, startNode } from '../../support/cluster.ts';
import { errorLine } from '../../support/error-lines.ts';
import { manifestOf, rpcOf } from '../../support/rpc.ts';

const WAIT_MS = 60_000;

let eu: RedisServer;
let us: RedisServer;
let here: ClusterNode;
let there: ClusterNode;

beforeAll(async () => {
  [eu, us] = await Promise.all([RedisServer.start(), RedisServer.start()]);
  [here, there] = await Promise.all([startNode(eu.address, 'eu'), startNode(us.address, 'us')]);
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await Promise.all([eu.stop(), us.stop()]);
});

const sync = async (...flags: string[]) => {
  const stores = [
    '--from',
    eu.address,
    '--from-key-prefix',
    'eu',
    '--to',
    us.address,
    '--to-key-prefix',
    'us',
  ];
  const result = await runMsg(['keys', 'sync', ...stores, ...flags]);
  expect(result.stderr).toBe('');
  const { type, payload } = JSON.parse(result.stdout);
  expect(type).toBe('msg.keys.synced');
  return payload;
};
const accepts = async (node: ClusterNode, token: string) =>
  (await rpcOf(node.url, token)('ListKeys', {})).status === 200;

test('two regions get one ring: first the keys are added, a promotion and a retirement follow', async () => {
  expect(await accepts(there, here.token)).toBe(false);
  const active = (await manifestOf(here.url)).active_key_id;
  expect(await sync()).toEqual({ active_key_id: active, keys: 2, added: 1, updated: 1 });
  await eventually('the tokens of one region verify in the other', () => accepts(there, here.token), WAIT_MS);
  expect((await manifestOf(there.url)).active_key_id).toBe(active);
  // Keys of the other region still verify until they are pruned.
  expect(await accepts(there, there.token)).toBe(true);
  expect(await sync()).toMatchObject({ added: 0, updated: 0 });

  const { body: key } = await here.rpc('GenerateKey', { alg: 'EdDSA' });
  await here.rpc('PromoteKey', { id: key['id'] });
  const { body } = await here.rpc('IssueMgmt', {});
  const renewed = String(body['mgmt_token']);
  expect((await rpcOf(here.url, renewed)('RetireKey', { id: active })).status).toBe(200);
  expect(await sync('--prune')).toMatchObject({ active_key_id: key['id'], keys: 1, added: 1 });
  await eventually('the new key verifies', () => accepts(there, renewed), WAIT_MS);
  expect(await accepts(there, here.token)).toBe(false);
  expect(await accepts(there, there.token)).toBe(false);
});

test('a source without a keyring changes nothing', async () => {
  const args = ['keys', 'sync', '--from', eu.address, '--from-key-prefix', 'nobody', '--to', us.address];
  expect(await runMsg(args)).toMatchObject({ code: 1, stdout: '' });
  expect((await runMsg(args)).stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: there is no keyring at /);
  expect(errorLine((await runMsg(['keys', 'sync', '--from', eu.address])).stderr)).toBe(
    'error: MSG_INVALID_ARGUMENT: --from and --to are required',
  );
});
