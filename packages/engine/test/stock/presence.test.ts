import { ReplyError } from '@msg/engine';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { decodeInfo, type StockSubscription } from './stock-client.ts';
import { STOCK } from './stock-clients.ts';
import { serve } from './stock-server.ts';

const policy = {
  connect: ({ token }: { readonly token: string }) => ({
    user: token,
    ...(token === '' ? {} : { info: Buffer.from(`{"name":"${token}"}`) }),
  }),
  subscribe: () => ({
    emitPresence: true,
    emitJoinLeave: true,
    pushJoinLeave: true,
    compaction: false,
    info: Buffer.from('{"seat":1}'),
  }),
};
const JOIN_LEAVE = { joinLeave: true } as const;

const usersOf = (subscription: StockSubscription, kind: 'join' | 'leave'): string[] =>
  subscription.events.all(kind).map(({ info }) => info.user);

describe.concurrent.each(STOCK)('presence, $name', stock => {
  it('names everybody in the channel with their info, and counts clients and users', async test => {
    const server = await serve(test, stock, { policy });
    const ann = await server.connected({ token: 'ann' });
    const annAgain = await server.connected({ token: 'ann' });
    const nobody = await server.connected();
    const subscription = await ann.subscribed('room');
    await annAgain.subscribed('room');
    await nobody.subscribed('room');
    const { clients } = await subscription.centrifuge.presence();
    expect(Object.keys(clients).sort()).toEqual([ann.id, annAgain.id, nobody.id].sort());
    const own = clients[ann.id];
    expect(own && decodeInfo(stock, own)).toEqual({
      user: 'ann',
      client: ann.id,
      connInfo: { name: 'ann' },
      chanInfo: { seat: 1 },
    });
    expect(clients[nobody.id]?.user).toBe('');
    expect(await subscription.centrifuge.presenceStats()).toMatchObject({ numClients: 3, numUsers: 2 });
    expect(await nobody.centrifuge.presenceStats('room')).toMatchObject({ numClients: 3, numUsers: 2 });
  });

  it('answers an empty map and zeros for a channel without anybody', async test => {
    const server = await serve(test, stock, { policy });
    const { centrifuge } = await server.connected();
    expect(await centrifuge.presence('empty')).toEqual({ clients: {} });
    expect(await centrifuge.presenceStats('empty')).toMatchObject({ numClients: 0, numUsers: 0 });
  });

  it('leaves out subscribers that the hook keeps invisible', async test => {
    const server = await serve(test, stock, { policy: { ...policy, subscribe: () => ({}) } });
    const client = await server.connected();
    const subscription = await client.subscribed('room');
    expect(await subscription.centrifuge.presence()).toEqual({ clients: {} });
  });

  it('forgets who unsubscribed and who disconnected', async test => {
    const server = await serve(test, stock, { policy });
    const [ann, bob, eve] = await Promise.all(
      ['ann', 'bob', 'eve'].map(token => server.connected({ token })),
    );
    const subscription = await ann!.subscribed('room');
    const ofBob = await bob!.subscribed('room');
    await eve!.subscribed('room');
    ofBob.centrifuge.unsubscribe();
    server.cut(eve!);
    eve!.centrifuge.disconnect();
    await eventually('both are gone', async () => {
      const { numClients } = await subscription.centrifuge.presenceStats();
      return numClients === 1;
    });
  });

  it('rejects where the hook refuses', async test => {
    const refuse = (): void => {
      throw new ReplyError(103, 'permission denied');
    };
    const server = await serve(test, stock, {
      policy: { presence: refuse, presenceStats: refuse, history: refuse },
    });
    const { centrifuge } = await server.connected();
    const refused = { code: 103, message: 'permission denied' };
    await expect(centrifuge.presence('room')).rejects.toMatchObject(refused);
    await expect(centrifuge.presenceStats('room')).rejects.toMatchObject(refused);
    await expect(centrifuge.history('room')).rejects.toMatchObject(refused);
  });

  it('announces a subscriber to itself after its own subscribe, and to those who are there', async test => {
    const server = await serve(test, stock, { policy });
    const ann = await server.connected({ token: 'ann' });
    const bob = await server.connected({ token: 'bob' });
    const ofAnn = await ann.subscribed('room', JOIN_LEAVE);
    const own = await ofAnn.events.next('join');
    expect(decodeInfo(stock, own.info)).toEqual({
      user: 'ann',
      client: ann.id,
      connInfo: { name: 'ann' },
      chanInfo: { seat: 1 },
    });
    expect(ofAnn.events.names).toEqual(['subscribing', 'subscribed', 'join']);
    const ofBob = await bob.subscribed('room', JOIN_LEAVE);
    expect((await ofAnn.events.next('join')).info).toMatchObject({ user: 'bob', client: bob.id });
    await ofBob.events.next('join');
    expect(usersOf(ofBob, 'join')).toEqual(['bob']);
  });

  it('announces a leave after unsubscribe, after disconnect and after a lost socket, once each', async test => {
    const server = await serve(test, stock, { policy });
    const ann = await server.connected({ token: 'ann' });
    const ofAnn = await ann.subscribed('room', JOIN_LEAVE);
    for (const [i, token] of ['bob', 'eve', 'kim'].entries()) {
      const other = await server.connected({ token });
      const { centrifuge } = await other.subscribed('room');
      await ofAnn.events.atLeast(i + 2, 'join');
      if (token === 'bob') centrifuge.unsubscribe();
      else if (token === 'eve') other.centrifuge.disconnect();
      else {
        server.cut(other);
        other.centrifuge.disconnect();
      }
      expect((await ofAnn.events.next('leave')).info).toMatchObject({ user: token, client: other.id });
    }
    expect(usersOf(ofAnn, 'join')).toEqual(['ann', 'bob', 'eve', 'kim']);
    expect(usersOf(ofAnn, 'leave')).toEqual(['bob', 'eve', 'kim']);
  });

  it('never announces a leave before the join, however short the visit', async test => {
    const server = await serve(test, stock, { policy });
    const ann = await server.connected({ token: 'ann' });
    const ofAnn = await ann.subscribed('room', JOIN_LEAVE);
    await ofAnn.events.next('join');
    for (let visit = 1; visit <= 10; visit++) {
      const visitor = await server.connected({ token: `visitor-${visit}` });
      visitor.subscribe('room');
      await eventually('the visitor is there', () => server.node.subscriberCount('room') === 2);
      visitor.centrifuge.disconnect();
      await ofAnn.events.atLeast(visit, 'leave');
    }
    const order = ofAnn.events.names.filter(name => name === 'join' || name === 'leave').slice(1);
    expect(order).toEqual(Array.from({ length: 10 }, () => ['join', 'leave']).flat());
  });

  it('announces nothing to those who did not wish it or are not granted it', async test => {
    const server = await serve(test, stock, {
      policy: {
        ...policy,
        subscribe: ({ user }, { joinLeave }) => ({
          emitJoinLeave: true,
          pushJoinLeave: joinLeave && user !== 'refused',
        }),
      },
    });
    const silent = await server.connected({ token: 'silent' });
    const refused = await server.connected({ token: 'refused' });
    const ofSilent = await silent.subscribed('room');
    const ofRefused = await refused.subscribed('room', JOIN_LEAVE);
    const other = await server.connected({ token: 'other' });
    const ofOther = await other.subscribed('room', JOIN_LEAVE);
    await ofOther.events.next('join');
    await server.publish('room', 'marker');
    for (const subscription of [ofSilent, ofRefused]) {
      await subscription.receives(1);
      expect(subscription.events.names).toEqual(['subscribing', 'subscribed', 'publication']);
    }
  });
});
