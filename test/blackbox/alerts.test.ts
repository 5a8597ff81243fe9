import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type MsgServer, startMsg, WebhookReceiver } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { rpcOf } from '../../packages/server/test/support/rpc.ts';
import { scrape } from '../../packages/server/test/support/scrape.ts';
import { expectFiring, seriesBetween } from '../support/promtool.ts';

const ROOM = 'public:shop.news';

/** What happens at a server, and the alert that fires for it. */
interface Case {
  readonly alert: string;
  /** Series that the alert asks for. */
  readonly metric: string;
  /** Minutes from the change to the alert. */
  readonly after: number;
  happens(): Promise<void>;
}

let redis: RedisServer;
let hook: WebhookReceiver;
let folder: string;
let server: MsgServer;
let rpc: ReturnType<typeof rpcOf>;

beforeAll(async () => {
  redis = await RedisServer.start();
  hook = new WebhookReceiver();
  folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  const config = join(folder, 'msg.yaml');
  const url = `${await hook.listen()}/hook`;
  await writeFile(
    config,
    stringify({ sinks: { orders: { kind: 'webhook', url } }, sink_retry: { max_attempts: 1 } }),
  );
  server = await startMsg({
    args: ['--redis-addr', redis.address, '--redis-key-prefix', 'alerts', '--config', config],
    startMs: 60_000,
  });
  rpc = rpcOf(server.url, server.token);
}, 60_000);
afterAll(async () => {
  await server.stop();
  await hook.close();
  await redis.stop();
  await rm(folder, { recursive: true });
}, 60_000);

/** A caller with a token of its own, and the ids of as many feeds as one token may have. */
async function feeds(subject: string) {
  const { body } = await rpc('IssueMgmt', { subject });
  const call = rpcOf(server.url, String(body['mgmt_token']));
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(String((await call('OpenFeed', {})).body['feed']));
  return { call, ids };
}

const CASES: readonly Case[] = [
  {
    alert: 'MsgAuditFailing',
    metric: 'msg_audit_failures_total',
    after: 2,
    // The stream of the audit cannot be written: another type of value has its name.
    async happens() {
      await redis.command('SET', 'alerts:audit', 'not a stream');
      expect((await rpc('OpenPublic', { name: ROOM })).status).toBe(200);
      await redis.command('DEL', 'alerts:audit');
    },
  },
  {
    alert: 'MsgDeadLetterJobTripped',
    metric: 'msg_dlq_jobs_total',
    after: 2,
    async happens() {
      hook.behaviour = { status: 503 };
      await rpc('PublishOrSink', { name: 'public:shop.none', sink: 'orders', message: { body: 'a' } });
      const { body, status } = await rpc('DlqRedrive', { sink: 'orders', all: true, stop_after_failures: 1 });
      expect([status, body]).toMatchObject([200, { matched: 1 }]);
      await eventually('it has given up', async () => {
        const [jobs] = (await scrape(server.url)).samples('msg_dlq_jobs_total', { outcome: 'tripped' });
        return jobs !== undefined && jobs.value > 0;
      });
    },
  },
  {
    alert: 'MsgFeedsShort',
    metric: 'msg_console_feeds',
    after: 6,
    async happens() {
      for (let token = 0; token < 33; token++) await feeds(`reader-${token}`);
    },
  },
  {
    alert: 'MsgTailsShort',
    metric: 'msg_console_tails',
    after: 6,
    async happens() {
      await rpc('OpenPublic', { name: ROOM });
      for (const subject of ['first', 'second']) {
        const { call, ids } = await feeds(subject);
        for (const feed of ids.slice(0, subject === 'first' ? 5 : 4))
          for (let count = 0; count < 5; count++)
            expect((await call('StartTail', { feed, name: ROOM })).status).toBe(200);
      }
    },
  },
];

describe('an alert in Prometheus', () => {
  it.each(CASES)(
    '$alert fires for what happens at a server, and not before',
    async ({ alert, metric, after, happens }) => {
      const before = await scrape(server.url);
      await happens();
      const series = seriesBetween([metric], before, await scrape(server.url));
      await expectFiring({ alert, series, after, folder });
    },
    60_000,
  );
});
