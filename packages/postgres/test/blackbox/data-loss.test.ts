// A database that is restored from a backup, and a store that has lost its streams.
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { createRpcClient } from '@msg/core';
import { Msg } from '@msg/server';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { Centrifuge } from 'centrifuge';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OutboxDatabase } from '../support/database.ts';

const CHANNEL = 'public:shop.orders';
const WAIT_MS = 60_000;

const ends: (() => Promise<unknown>)[] = [];
let db: OutboxDatabase;
beforeEach(async () => {
  db = await OutboxDatabase.start();
  ends.push(() => db.stop());
}, 120_000);
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A page that follows the channel from its beginning. */
interface Page {
  readonly heard: unknown[];
  /** `recovered` of each subscribe. */
  readonly recoveries: boolean[];
  /** What the stream of the channel holds. */
  stream(): Promise<readonly unknown[]>;
}

/** A service that consumes the outbox, and a page on the stock client. */
async function serve(options: object = {}): Promise<Page> {
  const msg = await Msg.start({
    listen: { port: 0 },
    channels: { open: [{ name: CHANNEL, ttlMs: Infinity }] },
    outbox: { url: db.url('admin'), pollIntervalMs: 20 },
    ...options,
  });
  ends.push(() => msg.stop());
  const server = msg.addresses[0]?.url ?? '';
  const rpc = createRpcClient({ server, token: msg.tokens.issueManagement().token, fetch });
  const page: Page = {
    heard: [],
    recoveries: [],
    async stream() {
      const { publications } = await rpc.call('History', { name: CHANNEL, limit: 100 });
      return publications.map(({ data }) => JSON.parse(data));
    },
  };
  const client = new Centrifuge(`${server.replace('http', 'ws')}/connection/websocket`, {
    minReconnectDelay: 20,
  });
  const subscription = client.newSubscription(CHANNEL, { since: await msg.positionOf(CHANNEL) });
  subscription.on('subscribed', ({ recovered }) => page.recoveries.push(recovered));
  subscription.on('publication', ({ data }) => page.heard.push(data));
  subscription.subscribe();
  client.connect();
  ends.push(async () => client.disconnect());
  await subscription.ready();
  return page;
}

/** Publishes, and waits for a database that was just started. */
async function publish(...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const written = () =>
      db.app`SELECT msg.publish(${CHANNEL}, ${JSON.stringify(text)}::text)`.then(
        () => true,
        () => false,
      );
    await eventually(`${text} is written`, written, WAIT_MS);
  }
}

const emptied = () => eventually('the outbox is empty', async () => (await db.rows()).length === 0, WAIT_MS);
const hears = ({ heard }: Page, ...texts: readonly string[]) =>
  eventually(`the page hears ${texts}`, () => texts.every(text => heard.includes(text)), WAIT_MS);

it('a database from yesterday: what is written afterwards is delivered', { timeout: 180_000 }, async () => {
  const [data, backup] = ['data', 'backup'].map(name => join(db.server.folder, name)) as [string, string];
  const page = await serve();
  await publish('one', 'two');
  await hears(page, 'one', 'two');
  await db.server.kill();
  execFileSync('cp', ['-a', data, backup]);
  await db.server.restart();
  await publish('three', 'four');
  await hears(page, 'three', 'four');
  await db.server.kill();
  renameSync(data, `${data}-of-today`);
  renameSync(backup, data);
  await db.server.restart();
  // Their ids were given before, to rows that the stream has: versions decide, and they come from the clock.
  await publish('five', 'six');
  await hears(page, 'five', 'six');
  expect(page.heard).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
});

it('a Redis without its data: a new epoch, and what waited is in the new stream', {
  timeout: 180_000,
}, async () => {
  const redis = await RedisServer.start();
  ends.push(() => redis.stop());
  const page = await serve({ redis: { address: redis.address } });
  await publish('one', 'two');
  await hears(page, 'one', 'two');
  await emptied();
  await redis.kill();
  await publish('three', 'four');
  await redis.restart();
  await publish('five');
  await emptied();
  expect(await page.stream()).toEqual(['three', 'four', 'five']);
  // The page is told that its position is of another stream: it reads the state again, and hears what comes.
  await eventually('the page has subscribed again', () => page.recoveries.at(-1) === false, WAIT_MS);
  await publish('six');
  await hears(page, 'six');
});
