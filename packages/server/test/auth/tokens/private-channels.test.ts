import { MsgError } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { PrivateChannels } from '#src/auth/tokens/private-channels.ts';
import { ChannelManager } from '#src/channels/manager.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { embed, stopEmbedded } from '../../support/embedded.ts';
import { rpcOf } from '../../support/rpc.ts';

afterEach(stopEmbedded);

const NAME = 'private:shop.order.1';

async function service() {
  const clock = new ManualClock();
  const { msg, url } = await embed({ clock });
  return { clock, msg, rpc: rpcOf(url, msg.tokens.issueManagement().token) };
}

describe('CreatePrivate with if_exists reuse', () => {
  it('creates a channel that is not there, and says so', async () => {
    const { rpc, msg } = await service();
    const first = await rpc('CreatePrivate', { name: NAME, if_exists: 'reuse', ttl_seconds: 60 });
    expect([first.status, first.body]).toMatchObject([200, { name: NAME, created: true }]);
    expect((await msg.channels.get(NAME)).ttlMs).toBe(60_000);
    expect((await rpc('CreatePrivate', { name: 'private:shop.order.2' })).body).toMatchObject({
      created: true,
    });
  });

  it('renews an open one, replaces its TTL only when one is given, and issues a fresh pair', async () => {
    const { rpc, msg, clock } = await service();
    const first = await rpc('CreatePrivate', { name: NAME, ttl_seconds: 60, subject: 'ann' });
    await clock.advance(50_000);
    const scopes = [{ pattern: 'private:shop.order.1.*', verbs: ['publish'] }];
    const reused = await rpc('CreatePrivate', { name: NAME, subject: 'bob', scopes, ifExists: 'reuse' });
    expect(reused.body).toMatchObject({ name: NAME, created: false });
    expect(reused.body['access_token']).not.toBe(first.body['access_token']);
    // The first pair is as good as before.
    expect(msg.tokens.verify('access', String(first.body['access_token'])).sub).toBe('ann');
    const claims = msg.tokens.verify('access', String(reused.body['access_token']));
    expect(claims).toMatchObject({
      sub: 'bob',
      chs: [NAME],
      scopes: [{ pat: 'private:shop.order.1.*', v: ['publish'] }],
    });
    expect(await msg.channels.get(NAME)).toMatchObject({ ttlMs: 60_000, lastActive: clock.now() });
    await clock.advance(50_000);
    expect(await msg.channels.get(NAME)).toMatchObject({ state: 'open' });
    await rpc('CreatePrivate', { name: NAME, if_exists: 'reuse', ttl_seconds: 120 });
    expect((await msg.channels.get(NAME)).ttlMs).toBe(120_000);
  });

  it('is not an opening: followers hear of one event', async () => {
    const { rpc, msg } = await service();
    const events = msg.channels.events(10);
    const kinds: string[] = [];
    await rpc('CreatePrivate', { name: NAME, if_exists: 'reuse' });
    await rpc('CreatePrivate', { name: NAME, if_exists: 'reuse' });
    await rpc('DeleteChannel', { name: NAME });
    for await (const { kind } of events) {
      kinds.push(kind);
      if (kind === 'deleted') break;
    }
    expect(kinds).toEqual(['opened', 'deleted']);
  });

  it.each<[string, object, string]>([
    ['a deleted name', { name: 'private:shop.order.9', if_exists: 'reuse' }, 'MSG_CHANNEL_EXISTS'],
    ['an open one without it', { name: NAME }, 'MSG_CHANNEL_EXISTS'],
    ['an open one with error', { name: NAME, if_exists: 'error' }, 'MSG_CHANNEL_EXISTS'],
    ['another value', { name: NAME, if_exists: 'renew' }, 'MSG_INVALID_ARGUMENT'],
    ['a public name', { name: 'public:shop.a', if_exists: 'reuse' }, 'MSG_CHANNEL_INVALID'],
    [
      'a TTL above an hour',
      { name: NAME, ttl_seconds: 3601, if_exists: 'reuse' },
      'MSG_CHANNEL_TTL_EXCEEDS_MAX',
    ],
    ['a negative TTL', { name: NAME, ttl_seconds: -1, if_exists: 'reuse' }, 'MSG_INVALID_ARGUMENT'],
  ])('refuses %s', async (_title, request, code) => {
    const { rpc, msg } = await service();
    await msg.channels.createPrivate({ name: NAME });
    await msg.channels.createPrivate({ name: 'private:shop.order.9' });
    await msg.channels.delete('private:shop.order.9');
    expect((await rpc('CreatePrivate', request)).code).toBe(code);
  });

  it('looks again when the channel came or went between its steps', async () => {
    const clock = new ManualClock();
    const registry = new HastyRegistry(clock);
    const channels = new ChannelManager({ registry, clock, onDeleted: async () => {} });
    const pair = { accessToken: 'a', refreshToken: 'r', accessExpiresUnix: 1, refreshExpiresUnix: 2 };
    const privateChannels = new PrivateChannels(channels, { first: () => pair } as never);
    registry.hidden = 1;
    await registry.createPrivate(NAME, 1000);
    expect(await privateChannels.create({ name: NAME, ifExists: 'reuse' })).toMatchObject({ created: false });
    registry.hidden = 5;
    const lost = privateChannels.create({ name: NAME, ifExists: 'reuse' });
    await expect(lost).rejects.toThrow(new MsgError('MSG_CHANNEL_EXISTS', `channel ${NAME} already exists`));
  });
});

/** Does not find a record as often as `hidden` says: another caller creates it right after. */
class HastyRegistry extends MemoryChannelRegistry {
  hidden = 0;

  override touch(
    ...args: Parameters<MemoryChannelRegistry['touch']>
  ): ReturnType<MemoryChannelRegistry['touch']> {
    return this.hidden-- > 0 ? undefined : super.touch(...args);
  }
}
