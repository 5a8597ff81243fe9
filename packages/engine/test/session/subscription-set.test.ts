import { ErrorCode } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { ReplyError } from '#src/errors.ts';
import type { Policy } from '#src/policy.ts';
import { MemoryPresence } from '#src/presence/memory.ts';
import { completeSubscribe, prepareSubscribe, settleSubscribe } from '#src/session/subscribe.ts';
import type { Subscription } from '#src/session/subscription.ts';
import { SubscriptionSet } from '#src/session/subscription-set.ts';
import { contextOf, RecordingConnection, settled } from './parts.ts';

const REQUEST = { recover: false, offset: 0, epoch: '', delta: '', flag: 0, tf: null };
const MOVED = { code: 2000, reason: 'moved' };

/** A presence whose removals wait until they are let go. */
class SlowPresence extends MemoryPresence {
  readonly removal = Promise.withResolvers<void>();

  override async remove(channel: string, client: string): Promise<void> {
    await this.removal.promise;
    await super.remove(channel, client);
  }
}

function start(limit = 10) {
  const ended: string[] = [];
  const unsubscribed: Policy['unsubscribed'] = (_client, channel, code) => ended.push(`${channel} ${code}`);
  const presence = new SlowPresence();
  const { context, clock, errors } = contextOf(
    { unsubscribed },
    { limits: { channelsPerClient: limit }, presence },
  );
  const session = new RecordingConnection(context);
  const set = new SubscriptionSet(session);
  const subscribe = async (channel: string, decision = {}): Promise<Subscription> => {
    const subscription = set.reserve(channel, false);
    const pending = await prepareSubscribe(subscription, decision, REQUEST);
    settleSubscribe(pending);
    completeSubscribe(pending);
    return subscription;
  };
  return { set, session, context, clock, errors, presence, ended, subscribe };
}

const refusal = new ReplyError(ErrorCode.UnknownChannel, 'not yet', true);

describe('the subscriptions of a connection', () => {
  it('hold their channel from the reservation to the release, and the hub likewise', async () => {
    const { set, context, subscribe } = start();
    const reserved = set.reserve('a', false);
    expect(set.get('a')).toBe(reserved);
    expect([...context.hub.subscribersAndPending('a')]).toEqual([reserved]);
    set.release(reserved);
    expect(set.size).toBe(0);
    const live = await subscribe('a');
    expect(live.live).toBe(true);
    expect(context.hub.subscriberCount('a')).toBe(1);
    set.release(live);
    set.release(live);
    expect([...context.hub.subscribersAndPending('a')]).toEqual([]);
  });

  it('are limited; channels that the client waits for count, and the one it asks for does not', () => {
    const { set, context } = start(2);
    set.reserve('a', false);
    expect(set.hasRoomFor('b')).toBe(true);
    set.refused('b', refusal);
    expect(context.stats.waitingSubscribes).toBe(1);
    expect(set.hasRoomFor('b')).toBe(true);
    expect(set.hasRoomFor('c')).toBe(false);
    set.refused('b', new ReplyError(ErrorCode.PermissionDenied, 'no'));
    expect(set.hasRoomFor('c')).toBe(true);
    expect(context.stats.waitingSubscribes).toBe(0);
  });

  it('make room when the client has stopped retrying', async () => {
    const { set, clock } = start(1);
    set.refused('a', refusal);
    expect(set.hasRoomFor('b')).toBe(false);
    await clock.advance(60_000);
    expect(set.hasRoomFor('b')).toBe(true);
  });

  it('end from the server: the policy hears of it, then the client', async () => {
    const { set, session, ended, subscribe } = start();
    set.end(await subscribe('a'), MOVED);
    expect(ended).toEqual(['a 2000']);
    expect(session.pushes).toEqual([{ channel: 'a', unsubscribe: MOVED }]);
  });

  it('are told of their end when nothing of them is left, and a new one is not told of the old', async () => {
    const { set, session, presence, subscribe } = start();
    set.end(await subscribe('a', { emitPresence: true }), MOVED);
    const reply = set.leave('a');
    await settled();
    expect(session.pushes).toEqual([]);
    set.reserve('b', false);
    presence.removal.resolve();
    await reply;
    expect(session.pushes).toEqual([{ channel: 'a', unsubscribe: MOVED }]);

    const again = start();
    again.set.end(await again.subscribe('a', { emitPresence: true }), MOVED);
    again.set.reserve('a', false);
    again.presence.removal.resolve();
    await settled();
    expect(again.session.pushes).toEqual([]);
  });

  it('that are not live yet end when they are', async () => {
    const { set, session, ended } = start();
    const subscription = set.reserve('a', false);
    expect(set.endWhenLive('a', MOVED)).toBe(true);
    expect(set.endWhenLive('b', MOVED)).toBe(false);
    expect(subscription.unsubscribeWhenLive).toBe(MOVED);
    expect(session.pushes).toEqual([]);
    expect(ended).toEqual([]);
  });

  it('are all freed at the end of the connection, and the policy hears of the live ones', async () => {
    const { set, context, ended, subscribe } = start();
    await subscribe('a');
    set.reserve('b', false);
    set.refused('c', refusal);
    set.releaseAll();
    expect(ended).toEqual(['a 1']);
    expect(set.size).toBe(0);
    expect(context.stats.waitingSubscribes).toBe(0);
    expect(context.hub.subscriptionCount).toBe(0);
  });

  it('outlive a hook that fails', async () => {
    const failure = new Error('hook');
    const { context, errors } = contextOf({
      unsubscribed: () => {
        throw failure;
      },
    });
    const set = new SubscriptionSet(new RecordingConnection(context));
    const subscription = set.reserve('a', false);
    set.end(subscription, MOVED);
    expect(errors).toEqual([failure]);
    expect(set.size).toBe(0);
  });

  it('keep their presence entries alive at each tick', async () => {
    const { set, session, presence, subscribe } = start();
    await subscribe('a', { emitPresence: true });
    session.connection.begin(false);
    session.connection.authenticated('ann');
    set.tick();
    await settled();
    expect([...(await presence.get('a')).values()]).toMatchObject([{ user: 'ann', client: 'client' }]);
  });
});
