import { join, resolve } from 'node:path';
import { type Clock, systemClock, systemRandom } from '@msg/foundation/clock';
import type { Stores } from '@msg/server';
import { DEAD_LETTER_CONTRACT } from '@msg/server/testing';
import { eventually, freePort, ShellProcess, WebhookReceiver } from '@msg/testkit';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type * as Backend from '../../../../examples/store-backend/backend.ts';
import { embed, stopEmbedded } from '../support/embedded.ts';
import { temporaryFolder } from '../support/folders.ts';
import { rpcOf } from '../support/rpc.ts';
import {
  channelRegistryContract,
  keyringStoreContract,
  rateLimiterContract,
  redemptionStoreContract,
  revocationStoreContract,
  schemaStoreContract,
} from '../support/store-contracts.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** From Node 22.13 on it is there without a flag. */
const hasSqlite = major > 22 || (major === 22 && minor >= 13);

const load = (): Promise<typeof Backend> => import('../../../../examples/store-backend/backend.ts');

async function opened(path: string, clock: Clock = systemClock): Promise<Stores> {
  const { sqliteStores } = await load();
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const stores = await sqliteStores(path).open({ clock, random: systemRandom, logger, sinkNames: [] });
  onTestFinished(() => stores.close?.());
  return stores;
}

const fresh = async (clock?: Clock): Promise<Stores> =>
  opened(join(await temporaryFolder(), 'a.sqlite'), clock);

/** Two openings of one file. */
async function twice(): Promise<readonly [Stores, Stores]> {
  const path = join(await temporaryFolder(), 'a.sqlite');
  return [await opened(path), await opened(path)];
}

describe.skipIf(!hasSqlite)('the example of a store backend', () => {
  channelRegistryContract('SQLite', async clock => (await fresh(clock)).registry);
  rateLimiterContract('SQLite', async clock => (await fresh(clock)).limiter);
  redemptionStoreContract('SQLite', async clock => (await fresh(clock)).redemptions);
  revocationStoreContract('SQLite', async clock => (await fresh(clock)).revocations);
  schemaStoreContract('SQLite', async () => {
    const [here, there] = await twice();
    return [here.schemas, there.schemas];
  });
  keyringStoreContract('SQLite', async () => {
    const [here, there] = await twice();
    if (here.keyring === undefined || there.keyring === undefined) throw new Error('no keyring');
    return [here.keyring, there.keyring];
  });
  describe('dead-letter queue: SQLite', () => {
    it.each(DEAD_LETTER_CONTRACT.map(({ name, holds }) => [name, holds] as const))('%s', async (_, holds) => {
      const { Database } = await import('../../../../examples/store-backend/database.ts');
      const { SqliteDeadLetterQueue } = await import('../../../../examples/store-backend/dead-letters.ts');
      const database = new Database(join(await temporaryFolder(), 'a.sqlite'), systemClock);
      const queue = new SqliteDeadLetterQueue(database, systemRandom, 60);
      await holds({ queue, otherNode: queue, capacity: 60, slack: 0 });
      database.close();
    });
  });
});

describe.skipIf(!hasSqlite)('a service on the example, over HTTP and across restarts', () => {
  afterEach(stopEmbedded);

  async function start(path: string, hookUrl?: string) {
    const { sqliteStores } = await load();
    const { WebhookSink } = await import('@msg/server');
    const sinks = hookUrl === undefined ? [] : [new WebhookSink({ name: 'ops', url: hookUrl })];
    const service = await embed({
      stores: sqliteStores(path),
      revocationStore: 'auto',
      sinks,
      sinkRetry: { maxAttempts: 1 },
    });
    const bearer = service.msg.tokens.issueManagement('operator').token;
    return { ...service, bearer, rpc: rpcOf(service.url, bearer) };
  }
  const file = async (): Promise<string> => join(await temporaryFolder(), 'msg.sqlite');

  it('channels, tombstones and creation times survive', async () => {
    const path = await file();
    const first = await start(path);
    const { body } = await first.rpc('OpenPublic', { name: 'public:app.news', ttlSeconds: 600 });
    await first.rpc('OpenPublic', { name: 'public:app.gone' });
    await first.rpc('DeleteChannel', { name: 'public:app.gone' });
    await first.stop();
    const second = await start(path);
    const again = await second.rpc('GetChannel', { name: 'public:app.news' });
    expect(again.body['channel']).toMatchObject({ state: 'open', ttl_seconds: 600 });
    expect(again.body['channel']).toEqual(body['channel']);
    expect((await second.rpc('OpenPublic', { name: 'public:app.gone' })).status).toBe(404);
    expect((await second.rpc('Publish', { name: 'public:app.news', data: 'e30=' })).status).toBe(200);
  });

  it('tokens, redemptions, dead families and revocations survive', async () => {
    const path = await file();
    const first = await start(path);
    const created = await first.rpc('CreatePrivate', {
      name: 'private:shop.order.1',
      subject: 'u-1',
      ttlSeconds: 600,
    });
    const used = String(created.body['refresh_token']);
    const refreshed = await first.rpc('RefreshToken', { refresh_token: used });
    expect(refreshed.status).toBe(200);
    const revoked = first.msg.tokens.issueManagement('leaver').token;
    await first.rpc('RevokeUser', { user_id: 'leaver', reason: 'left' });
    await first.stop();

    const second = await start(path);
    const old = rpcOf(second.url, first.bearer);
    expect((await old('ListChannels', {})).status).toBe(200);
    expect((await rpcOf(second.url, revoked)('ListChannels', {})).status).toBe(401);
    expect((await second.rpc('RefreshToken', { refresh_token: used })).status).toBe(403);
    await second.stop();

    const third = await start(path);
    const newest = String(refreshed.body['refresh_token']);
    expect((await third.rpc('RefreshToken', { refresh_token: newest })).status).toBe(403);
  });

  it('dead letters survive and are replayed', async () => {
    const path = await file();
    const hook = new WebhookReceiver({ status: 503 });
    const url = await hook.listen();
    onTestFinished(() => hook.close());
    const first = await start(path, url);
    const message = { subject: 'Order 7', body: 'paid' };
    const sent = await first.rpc('PublishOrSink', { name: 'public:app.none', sink: 'ops', message });
    expect(sent.body).toMatchObject({ outcome: 'parked' });
    await first.stop();

    const second = await start(path, url);
    const { body } = await second.rpc('DlqList', { sink: 'ops' });
    expect(body['items']).toMatchObject([{ sink: 'ops', attempts: 1, message }]);
    const [{ id }] = body['items'] as [{ id: string }];
    expect((await second.rpc('DlqReplay', { id })).body).toMatchObject({ outcome: 'parked' });
    expect((await second.rpc('DlqList', {})).body['items']).toMatchObject([{ id, attempts: 2 }]);
    hook.behaviour = { status: 200 };
    expect((await second.rpc('DlqReplay', { id })).body).toMatchObject({ outcome: 'sent' });
    expect((await second.rpc('DlqCount', { sink: 'ops' })).body).toMatchObject({ count: 0 });
    expect((await second.rpc('DlqDiscard', { id })).status).toBe(404);
  });

  it('keys and schemas survive', async () => {
    const path = await file();
    const first = await start(path);
    const generated = await first.rpc('GenerateKey', {});
    await first.rpc('PromoteKey', { id: generated.body['id'] });
    await first.msg.schemas.register({ pattern: 'shop.{id}', version: 0, aspects: {} });
    await first.stop();
    const second = await start(path);
    expect(second.msg.keys.activeId).toBe(generated.body['id']);
    expect(second.msg.schemas.snapshot().patterns.map(({ pattern }) => pattern)).toEqual(['shop.{id}']);
  });

  it('runs as its page says', async () => {
    const [path, port] = [await file(), await freePort()];
    const command = `exec node --conditions=msg-source examples/store-backend/server.ts ${path} ${port}`;
    const program = new ShellProcess(command, { cwd: resolve(import.meta.dirname, '../../../..') });
    onTestFinished(() => program.stop());
    const printed = () => /^export MSG_TOKEN=(\S+)\n/m.exec(program.stdout);
    await eventually('its lines', () => printed() !== null);
    expect(program.stdout).toContain(`keeps its state in ${path}`);
    const token = printed()?.[1] ?? '';
    const rpc = rpcOf(`http://127.0.0.1:${port}`, token);
    expect((await rpc('OpenPublic', { name: 'public:app.news' })).status).toBe(200);
  });
});
