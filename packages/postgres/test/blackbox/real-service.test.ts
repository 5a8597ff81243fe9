import { createRpcClient, type RpcClient } from '@msg/core';
import { Msg, type SinkMessage } from '@msg/server';
import { eventually } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  listDead,
  type OutboxPublisher,
  OutboxWorker,
  type OutboxWorkerOptions,
  rpcPublisher,
} from '#src/index.ts';
import { OutboxDatabase } from '../support/database.ts';

const WITHOUT_HISTORY = 'public:shop.ticker';
const sent: SinkMessage[] = [];

let db: OutboxDatabase;
let msg: Msg;
let rpc: RpcClient;
let worker: OutboxWorker | undefined;
beforeAll(async () => {
  db = await OutboxDatabase.start();
  msg = await Msg.start({
    listen: { port: 0 },
    channels: { rules: [{ pattern: WITHOUT_HISTORY, historySize: 0 }] },
    sinks: [
      {
        name: 'ops',
        async send(_recipient, message) {
          sent.push(message);
        },
      },
    ],
  });
  const [address] = msg.addresses;
  const { token } = msg.tokens.issueManagement();
  rpc = createRpcClient({ server: address?.url ?? '', token, fetch });
}, 120_000);
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await db.clear();
});
afterAll(async () => {
  await msg.stop();
  await db.stop();
});

const publish = (channel: string, text: string) => db.app`SELECT msg.publish(${channel}, ${text}::text)`;
const emptied = () => eventually('the outbox is empty', async () => (await db.rows()).length === 0);

function startWorker(publisher: OutboxPublisher, options: Partial<OutboxWorkerOptions> = {}): void {
  worker = new OutboxWorker({ sql: db.sql, msg: publisher, pollIntervalMs: 20, ...options });
  worker.start();
}

async function streamOf(name: string): Promise<readonly string[]> {
  const { publications } = await rpc.call('History', { name, limit: 100 });
  return publications.map(({ data }) => data);
}

/** A publisher whose first answers are lost: the service has published, and the worker does not know it. */
function forgetful(publisher: OutboxPublisher, answers: number): OutboxPublisher {
  let left = answers;
  return {
    async publishMany(items, options) {
      const outcomes = await publisher.publishMany(items, options);
      if (left-- > 0) throw new Error('connection reset');
      return outcomes;
    },
    positionOf: name => publisher.positionOf?.(name) ?? Promise.reject(new Error('no position')),
  };
}

/** The two ways to a real service. */
const WAYS: readonly (readonly [name: string, id: string, publisher: () => OutboxPublisher])[] = [
  ['a Msg in the same program', 'msg', () => msg],
  ['the RPC', 'rpc', () => rpcPublisher(rpc)],
];

describe.each(WAYS)('through %s', (_, id, publisher) => {
  it('each row comes once and in order, though answers are lost', async () => {
    const channels = ['a', 'b', 'c'].map(letter => `public:shop.${id}.${letter}`);
    for (const channel of channels) await msg.channels.openPublic(channel);
    const texts = Array.from({ length: 40 }, (_, n) => `${n}`);
    for (const text of texts) for (const channel of channels) await publish(channel, text);
    startWorker(forgetful(publisher(), 4), { batch: 7 });
    await emptied();
    for (const channel of channels) expect(await streamOf(channel)).toEqual(texts);
    expect(worker?.stats().suppressed).toBeGreaterThan(0);
  });

  it('a channel that is not open is opened where the worker may', async () => {
    const channel = `public:shop.${id}.closed`;
    await publish(channel, '1');
    startWorker(publisher(), { openChannel: name => msg.channels.openPublic(name) });
    await emptied();
    expect(await streamOf(channel)).toEqual(['1']);
  });

  it('without history a row whose outcome is too long unknown is parked', async () => {
    await msg.channels.openPublic(WITHOUT_HISTORY);
    await publish(WITHOUT_HISTORY, '1');
    await db.sql.unsafe(
      `UPDATE msg.outbox SET version = 1, uncertain_since = clock_timestamp() - interval '241 seconds'`,
    );
    startWorker(publisher());
    await emptied();
    expect((await listDead(db.sql)).map(({ code }) => code)).toEqual(['uncertain']);
  });

  it('a message without subscribers goes through the sink', async () => {
    const channel = `public:shop.${id}.alone`;
    await msg.channels.openPublic(channel);
    sent.length = 0;
    await db.app`SELECT msg.publish_or_sink(${channel}, '{"n":1}', 'ops', '{"to":"a"}', '{"subject":"hello"}')`;
    startWorker(publisher());
    await emptied();
    expect(sent.map(({ subject }) => subject)).toEqual(['hello']);
  });
});
