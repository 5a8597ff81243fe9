// The sink of an end while a node does not answer: who is subscribed there cannot be known.
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, startNode } from '../../../support/cluster.ts';
import { embed, stopEmbedded } from '../../../support/embedded.ts';
import { temporaryFolder } from '../../../support/folders.ts';
import { rpcOf } from '../../../support/rpc.ts';
import { appendingArguments, CHANNEL } from './configuration.ts';

const PREFIX = 'sinks';

let redis: RedisServer;
let other: ClusterNode;

afterEach(async () => {
  await stopEmbedded();
  await other.stop();
  await redis.stop();
});

it('holds back no end: its outcome is pending until all nodes have answered, and it is sent once', async () => {
  redis = await RedisServer.start();
  other = await startNode(redis.address, PREFIX, { args: await appendingArguments(await temporaryFolder()) });
  const service = await embed({
    redis: { address: redis.address, keyPrefix: PREFIX },
    channels: { rules: [{ pattern: 'public:grow.**', append: true }], open: [{ pattern: 'public:grow.**' }] },
  });
  const sent: unknown[] = [];
  service.msg.sinks.register({ name: 'mail', send: async (_, { body }) => void sent.push(body) });
  const rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  await eventually(
    'it sees the other node',
    async () => ((await rpc('ListNodes', {})).body['nodes'] as unknown[]).length === 2,
  );
  const append = (request: object) =>
    rpc('Append', { name: CHANNEL, message: 'm', producer: 'p', ...request });
  await append({ seq: 1, text: 'an answer' });
  other.kill('SIGSTOP');
  const end = { seq: 2, ops: [{ status: 'complete' }], or_sink: { sink: 'mail' } };
  const first = append(end);
  const status = async () => (await rpc('AppendState', { name: CHANNEL })).body['status'];
  await eventually('the end is stored', async () => (await status()) === 'complete');
  expect((await append(end)).body).toMatchObject({ status: 'complete', duplicates: 1, outcome: 'pending' });
  expect(sent).toEqual([]);
  other.kill('SIGCONT');
  expect((await first).body).toMatchObject({ status: 'complete', duplicates: 0, outcome: 'sent' });
  expect((await append(end)).body).toMatchObject({ duplicates: 1, outcome: 'sent' });
  expect(sent).toEqual(['an answer']);
}, 120_000);
