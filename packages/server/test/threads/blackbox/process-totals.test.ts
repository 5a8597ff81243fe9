import { eventually, RawClient } from '@msg/testkit';
import { afterAll, expect, it } from 'vitest';
import { rpcOf } from '../../support/rpc.ts';
import { callersOfSuite } from '../../support/thread-callers.ts';

const THREADS = 3;
const RECORDINGS = 5;
const WAITS = 4;
const NAME = 'public:limits.chat';

const suite = callersOfSuite(
  'channels: { rules: [{ pattern: "public:limits.*", append: true }] }\n',
  THREADS,
);
const clients: RawClient[] = [];
afterAll(() => {
  for (const { websocket } of clients) websocket.terminate();
});
const rpc = (method: string, body: object) => rpcOf(suite.server.url, suite.server.token)(method, body);

/** Connects three clients more than there may be recordings: each thread has some of them. */
async function connected(): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < RECORDINGS + THREADS; i++) {
    const client = await RawClient.open(suite.server.websocketUrl);
    clients.push(client);
    const { connect } = await client.request({ connect: {} });
    ids.push(String((connect as { client: string }).client));
  }
  return ids;
}

it('five recordings run, whichever threads have the connections', async () => {
  const ids = await connected();
  const start = async (): Promise<readonly Record<string, unknown>[]> => {
    const answers = await Promise.all(ids.map(client => rpc('StartRecording', { client, seconds: 600 })));
    return answers.map(({ body }) => body);
  };
  const started = await start();
  const running = started.flatMap(({ recording }) => (recording === undefined ? [] : [recording]));
  expect(running).toHaveLength(RECORDINGS);
  const texts = started.flatMap(({ msg }) => (msg === undefined ? [] : [msg]));
  expect(new Set(texts)).toEqual(
    new Set(['the node of the connection has 5 recordings: stop one, or wait for its end']),
  );
  expect((await rpc('StopRecording', { recording: running[0] })).status).toBe(200);
  expect((await start()).filter(({ recording }) => recording !== undefined)).toHaveLength(1);
});

it('four calls wait for a message, whichever threads serve them', async () => {
  await rpc('OpenPublic', { name: NAME, ttl_seconds: 600 });
  const append = (seq: number, op: object) =>
    rpc('Append', { name: NAME, message: 'm', producer: 'p', seq, ops: [op] });
  expect((await append(1, { text: 'Hello' })).status).toBe(200);
  let answered = 0;
  // Calls at the same time have connections of their own, which the threads share.
  const calls = Array.from({ length: WAITS + 2 * THREADS }, async () => {
    const { body } = await rpc('AppendState', { name: NAME, wait_seconds: 25 });
    answered++;
    return body['status'];
  });
  await eventually('the others are answered at once', () => answered === 2 * THREADS);
  expect((await append(2, { status: 'complete' })).status).toBe(200);
  const states = await Promise.all(calls);
  expect(states.filter(status => status === 'complete')).toHaveLength(WAITS);
  expect(states.filter(status => status === 'streaming')).toHaveLength(2 * THREADS);
});
