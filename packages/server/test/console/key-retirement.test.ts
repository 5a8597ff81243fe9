import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { ConsoleRig, metaOf } from './console-rig.ts';

type Row = Readonly<Record<string, unknown>>;

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await ConsoleRig.start();
});
afterAll(() => rig.msg.stop());

const SCOPES = [{ pattern: 'private:shop.**', verbs: ['subscribe'] as const }];
const CHANNEL = 'private:shop.order.1';

/** A client with a token of its own, subscribed; and how often it lost the subscription for good. */
async function listen(subject: string) {
  const { access_token } = await rig.msg.tokens.issueAccess({ subject, scopes: SCOPES });
  const client = new Centrifuge(`ws://127.0.0.1:${rig.port}/connection/websocket`, { token: access_token });
  const ends: number[] = [];
  client.on('disconnected', ({ code }) => void ends.push(code));
  const subscription = client.newSubscription(CHANNEL);
  subscription.on('unsubscribed', ({ code }) => void ends.push(code));
  subscription.subscribe();
  client.connect();
  await subscription.ready(5000);
  return { ends, stop: () => client.disconnect() };
}

/** A management token that was used, and the cookie of a session that began with it. */
async function signedIn(subject: string) {
  const { token } = rig.msg.tokens.issueManagement(subject);
  expect((await rpcOf(rig.origin, token)('WhoAmI', {})).status).toBe(200);
  return { token, cookie: await rig.signIn(token) };
}

describe('a key that is retired too early', () => {
  it('breaks exactly what the use of keys named or counted', async () => {
    await rig.msg.channels.createPrivate({ name: CHANNEL });
    const old = rig.msg.keys.activeId;
    const [before, beforeListener] = [await signedIn('bea'), await listen('lea')];
    const { id } = await rig.msg.keys.generate();
    await rig.msg.keys.promote(id);
    const [after, afterListener] = [await signedIn('ann'), await listen('lou')];
    const rpc = rpcOf(rig.origin, after.token);
    const rowOf = async (kid: string): Promise<Row | undefined> =>
      ((await rpc('KeyUsage', {})).body['keys'] as Row[]).find(row => row['kid'] === kid); // as the method answers
    const counted = {
      live_connections: 1,
      live_subscriptions: 1,
      live_sessions: 1,
    };
    const row = await rowOf(old);
    expect(row).toMatchObject({ ...counted, verdict: 'in_use' });
    expect(row?.['reason']).toMatch(
      /^1 connections and 1 subscriptions rest on it now, and 1 sessions of the console$/,
    );
    const holders = ((row?.['holders'] ?? []) as Row[]).map(({ sub, type }) => `${type} ${sub}`);
    expect(holders.toSorted()).toEqual(['access lea', 'mgmt bea']);
    expect(await rowOf(id)).toMatchObject({ ...counted, verdict: 'active' });

    await rig.msg.keys.retire(old);
    expect((await rpcOf(rig.origin, before.token)('WhoAmI', {})).status).toBe(401);
    const session = await rig.rpc('WhoAmI', {}, { cookie: before.cookie });
    expect([session.status, metaOf(session)]).toEqual([401, { code: 'MSG_AUTH_EXPIRED', reason: 'key' }]);
    await expect.poll(() => beforeListener.ends.length, { timeout: 8000 }).toBeGreaterThan(0);

    expect((await rpc('WhoAmI', {})).status).toBe(200);
    expect((await rig.rpc('WhoAmI', {}, { cookie: after.cookie })).status).toBe(200);
    expect(afterListener.ends).toEqual([]);
    expect(await rowOf(id)).toMatchObject(counted);
    expect(await rowOf(old)).toMatchObject({ role: 'retired', live_subscriptions: 0 });
    beforeListener.stop();
    afterListener.stop();
  });
});
