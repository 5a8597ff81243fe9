// An answer on two nodes that share a store: the node that serves its reader is killed, and the other one stops it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createChatTransport } from '@msg/ai/browser';
import { openRun } from '@msg/ai/server';
import { MsgClient } from '@msg/client';
import { createRpcClient } from '@msg/core';
import { eventually, type MsgServer, RoundRobinProxy, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Model, textOf } from '../support/stage.ts';

const CHANNEL = 'public:app.chat.7.answer';
const YAML = `channels:
  rules:
    - { pattern: "public:app.**", append: true, append_window: 5ms }
  open:
    - { pattern: "public:app.**" }
`;

let redis: RedisServer;
let nodes: MsgServer[];
let proxy: RoundRobinProxy;
let client: MsgClient;

beforeAll(async () => {
  redis = await RedisServer.start();
  const file = join(redis.folder, 'msg.yaml');
  await writeFile(file, YAML);
  const args = ['--config', file, '--redis-addr', redis.address, '--redis-key-prefix', 'ai'];
  nodes = await Promise.all([startMsg({ args }), startMsg({ args })]);
  proxy = await RoundRobinProxy.start(nodes.map(({ url }) => url));
  client = new MsgClient({
    endpoint: proxy.url,
    centrifugeOptions: { minReconnectDelay: 50, maxReconnectDelay: 200 },
  });
  await client.connect();
});
afterAll(async () => {
  client.disconnect();
  await proxy.stop();
  await Promise.all(nodes.map(node => node.stop()));
  await redis.stop();
});

/** Both nodes, first the one that has the reader's connection. */
async function withReader(): Promise<readonly [MsgServer, MsgServer]> {
  const [one, other] = nodes as [MsgServer, MsgServer];
  const metrics = await (await fetch(`${one.url}/metrics`)).text();
  return /^msg_connections_active\{.*\} 1$/m.test(metrics) ? [one, other] : [other, one];
}

it('the text goes on when the reader’s node is killed, and a stop over the other node reaches the model', async () => {
  const [first, second] = await withReader();
  const rpc = createRpcClient({ server: [first.url, second.url], token: first.token, fetch });
  const transport = createChatTransport({ client, api: proxy.url, channelOf: () => CHANNEL });
  const run = await openRun(rpc, { channel: CHANNEL });
  const model = new Model().begin('before ');
  const piped = run.pipe(model.stream);
  const stream = await transport.reconnectToStream({ chatId: '7' });
  if (stream === null) throw new Error('no answer is open');
  let seen: UIMessage | undefined;
  const reading = (async () => {
    for await (const message of readUIMessageStream<UIMessage>({ stream })) seen = message;
  })();
  await eventually('the beginning is there', () => textOf(seen) === 'before ');
  first.kill('SIGKILL');
  await first.exited();
  for (let n = 0; n < 50; n++) model.words(`<${n}>`);
  const text = `before ${Array.from({ length: 50 }, (_, n) => `<${n}>`).join('')}`;
  await eventually('the rest is there', () => textOf(seen) === text, 30_000);
  const other = createRpcClient({ server: second.url, token: first.token, fetch });
  await other.call('AppendCancel', { name: CHANNEL, reason: 'enough' });
  await eventually('the model hears of it', () => run.signal.aborted, 5000);
  model.say({ type: 'abort' }).end();
  expect(await piped).toMatchObject({ status: 'cancelled', reason: 'enough', text });
  await reading;
  expect(textOf(seen)).toBe(text);
  transport.close();
});
