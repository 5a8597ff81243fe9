import { describe, expect, it, onTestFinished } from 'vitest';
import { hookServer } from '../notify/sinks/support/servers.ts';
import { configuredServer } from '../support/configured-server.ts';
import { temporaryFolder } from '../support/folders.ts';
import { rpcOf } from '../support/rpc.ts';
import { useExampleBackend } from '../support/store-of-run.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** From Node 22.13 on SQLite is there without a flag. */
const hasSqlite = major > 22 || (major === 22 && minor >= 13);

useExampleBackend();

/** Suites that run in memory and on Redis elsewhere: their servers keep everything in the example's file here. */
describe.skipIf(!hasSqlite)('on the example of a store backend', () => {
  describe('tokens', async () => {
    await import('../blackbox/tokens.test.ts');
  });
  describe('channels', async () => {
    await import('../blackbox/rpc.test.ts');
    await import('../blackbox/declared-channels.test.ts');
    await import('../blackbox/subscribe-access.test.ts');
  });
  describe('dead letters', async () => {
    await import('../blackbox/dlq.test.ts');
  });

  it('what was answered before a kill is there after the next start', async () => {
    const folder = await temporaryFolder();
    const { server: hook, url } = await hookServer({ status: 503 });
    const yaml = `sinks:\n  orders: { kind: webhook, url: "${url}/hook" }\nsink_retry: { max_attempts: 1 }\n`;
    const first = await configuredServer(yaml, {}, folder);
    onTestFinished(() => first.stop());
    const rpc = rpcOf(first.url, first.token);
    await rpc('OpenPublic', { name: 'public:shop.news', ttl_seconds: 600 });
    const { body: pair } = await rpc('CreatePrivate', { name: 'private:shop.order.1', subject: 'u-1' });
    const used = { refresh_token: pair['refresh_token'] };
    expect((await rpc('RefreshToken', used)).status).toBe(200);
    const message = { subject: 'Order 7', body: 'paid' };
    const sent = await rpc('PublishOrSink', { name: 'public:shop.none', sink: 'orders', message });
    expect(sent.body).toMatchObject({ outcome: 'parked' });
    first.kill('SIGKILL');
    await first.exited();

    hook.behaviour = { status: 200 };
    const second = await configuredServer(yaml, {}, folder);
    onTestFinished(() => second.stop());
    const again = rpcOf(second.url, first.token);
    expect((await again('GetChannel', { name: 'public:shop.news' })).body).toMatchObject({
      channel: { state: 'open', ttl_seconds: 600 },
    });
    expect((await again('RefreshToken', used)).status).toBe(403);
    const { body: letters } = await again('DlqList', { sink: 'orders' });
    expect(letters['items']).toMatchObject([{ sink: 'orders', message }]);
    const [{ id }] = letters['items'] as [{ id: string }];
    expect((await again('DlqReplay', { id })).body).toMatchObject({ outcome: 'sent' });
  });
});
