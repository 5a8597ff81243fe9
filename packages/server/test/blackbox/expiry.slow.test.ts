import { RawClient } from '@msg/testkit';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { TestKey, writeKeyring } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

/** The grace of 25 s and the tick that looks at it are fixed; this test waits for them once. */
test('without a refresh the connection ends with 3005, the subscription with 2501', {
  timeout: 90_000,
}, async () => {
  const key = new TestKey();
  const stateDir = await temporaryFolder();
  await writeKeyring(stateDir, key);
  const server = await startServer({ args: ['--state-dir', stateDir] });
  try {
    const name = 'private:shop.overdue.1';
    await rpcOf(server.url, server.token)('CreatePrivate', { name, ttlSeconds: 3600 });
    const start = performance.now();
    const token = key.access(2, { chs: [name] });
    const withToken = await RawClient.connected(server.websocketUrl, { connect: { token } });
    const withSubscription = await RawClient.connected(server.websocketUrl);
    await withSubscription.request({ subscribe: { channel: name, token } });
    const pongs = setInterval(() => {
      for (const client of [withToken, withSubscription]) {
        const ping = client.received.find(({ id, push }) => id === 0 && push === null);
        if (ping !== undefined) void client.ping().then(() => client.pong());
      }
    }, 100);
    try {
      expect((await withToken.closed(40_000)).code).toBe(3005);
      expect(performance.now() - start).toBeGreaterThan(25_000);
      const push = await withSubscription.push(({ unsubscribe }) => unsubscribe !== null, 40_000);
      expect(push.unsubscribe?.code).toBe(2501);
      expect(performance.now() - start).toBeGreaterThan(25_000);
    } finally {
      clearInterval(pongs);
    }
    await withSubscription.close();
  } finally {
    await server.stop();
  }
});
