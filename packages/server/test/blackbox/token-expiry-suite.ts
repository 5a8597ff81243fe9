import { eventually } from '@msg/testkit';
import { UnauthorizedError } from 'centrifuge';
import { expect, test } from 'vitest';
import { newId, nowSeconds } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { disconnected, follow, outcome, stockClient, trySubscribe } from '../support/stock-client.ts';
import type { TokenService } from '../support/token-service.ts';

/** What happens to clients, and to bearers, when tokens end. `service` is started before the tests. */
export function tokenExpirySuite(service: TokenService): void {
  test('an expired access token: 109 at connect and for a subscription; wrong types connect as anonymous', async () => {
    const { name } = await service.create();
    const expired = service.key.sign({
      sub: 'u-1',
      typ: 'access',
      chs: [name],
      iat: nowSeconds() - 50,
      exp: nowSeconds() - 10,
    });
    const asked: string[] = [];
    const good = service.key.access(60, { chs: [name] });
    const client = stockClient(service.server.websocketUrl, {
      token: expired,
      getToken: async () => {
        asked.push('connect');
        return good;
      },
    });
    const subscription = client.newSubscription(name);
    const result = outcome(subscription);
    subscription.subscribe();
    client.connect();
    expect(await result).toBe('subscribed');
    expect(asked).toEqual(['connect']);
    const expiredBearer = service.key.sign({
      sub: 'u-1',
      typ: 'mgmt',
      iat: nowSeconds() - 50,
      exp: nowSeconds() - 10,
    });
    expect(await trySubscribe(service.server.websocketUrl, name, { connect: expiredBearer })).toBe(103);
    const bearer = await rpcOf(service.server.url, expiredBearer)('ListChannels', {});
    expect([bearer.status, bearer.code, bearer.body['msg']]).toEqual([
      401,
      'MSG_AUTH_EXPIRED',
      'token expired',
    ]);
  });

  test.concurrent('a client whose callback refreshes stays connected and subscribed over several expiries', async () => {
    const { name } = await service.create();
    let refreshToken = service.key.sign({
      sub: 'u-1',
      typ: 'refresh',
      chs: [name],
      iat: nowSeconds(),
      exp: nowSeconds() + 3000,
      jti: newId(),
      fid: newId(),
    });
    let calls = 0;
    const client = stockClient(service.server.websocketUrl, {
      token: service.key.access(2, { chs: [name] }),
      getToken: async () => {
        calls++;
        // The service issues five minutes; rotation is real, the lifetime is cut by the test's own service.key.
        const { body } = await service.refresh(refreshToken);
        refreshToken = String(body['refresh_token']);
        return service.key.access(2, { chs: [name] });
      },
    });
    const events: string[] = [];
    client.on('disconnected', ({ code }) => events.push(`disconnected ${code}`));
    client.on('connecting', ({ code }) => events.push(`connecting ${code}`));
    const subscription = client.newSubscription(name);
    subscription.on('unsubscribed', ({ code }) => events.push(`unsubscribed ${code}`));
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    await eventually('three refreshes', () => calls >= 3);
    expect(events).toEqual(['connecting 0']);
    expect((await service.rpc('Presence', { name })).body).toEqual({ subscribers: 1 });
  });

  test.concurrent('without a callback the stock client ends its connection at the expiry', async () => {
    const { name } = await service.create();
    const client = stockClient(service.server.websocketUrl, {
      token: service.key.access(2, { chs: [name] }),
    });
    const end = disconnected(client);
    client.connect();
    await client.ready(60_000);
    expect((await end).reason).toBe('unauthorized');
  });

  test.concurrent('a subscription with a token of its own is extended by its callback', async () => {
    const { name } = await service.create();
    let calls = 0;
    const client = stockClient(service.server.websocketUrl);
    const subscription = client.newSubscription(name, {
      getToken: async () => {
        calls++;
        return service.key.access(2, { chs: [name] });
      },
    });
    const ended: number[] = [];
    subscription.on('unsubscribed', ({ code }) => ended.push(code));
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    await eventually('two extensions', () => calls >= 3, 12_000);
    expect(ended).toEqual([]);
    expect((await service.rpc('Presence', { name })).body).toEqual({ subscribers: 1 });
  });

  test.concurrent('a refresh to narrower grants ends what is no longer allowed; a foreign subject ends the connection', async () => {
    const { name } = await service.create();
    const client = stockClient(service.server.websocketUrl, {
      token: service.key.access(2, { chs: [name] }),
      getToken: async () => service.key.access(60, { chs: ['private:shop.other.1'] }),
    });
    const { ended } = await follow(client, name);
    expect(await ended).toBe(103);

    const other = stockClient(service.server.websocketUrl, {
      token: service.key.access(2, { chs: [name] }),
      getToken: async () => service.key.access(60, { sub: 'u-2', chs: [name] }),
    });
    const end = disconnected(other);
    other.connect();
    expect((await end).code).toBe(3500);
  });

  test('a callback that gives up ends the connection on the client side', async () => {
    const client = stockClient(service.server.websocketUrl, {
      getToken: async () => {
        throw new UnauthorizedError('no more tokens');
      },
    });
    const end = disconnected(client);
    client.connect();
    expect((await end).reason).toBe('unauthorized');
  });
}
