import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import { claimsOf, signerOf } from './stage.ts';

/** A flag for each member that a request has. */
function flags(request: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(request).flatMap(([name, value]) => [
    `--${name.replaceAll('_', '-')}`,
    String(value),
  ]);
}

const named = ({ name = '' }) => [name];
const wrapped = (channel: object) => ({ channel });

/** What operators see and do. */
export const operatorRows: readonly MethodRow[] = [
  methodRow('WhoAmI', { name: 'whoami', line: () => [] }, async (ask, stage) => {
    const mine = await ask({});
    const scopes = [{ pattern: 'public:stage.**', verbs: ['manage'] }];
    const issued = await stage.client().call('IssueMgmt', { subject: 'vera', role: 'viewer', scopes });
    const { body: vera } = await stage.rpc('WhoAmI', {}, issued.mgmt_token);
    return async () => {
      expect(mine).toMatchObject({ role: 'admin', scopes: [], source: 'key' });
      expect(mine).toMatchObject({ subject: claimsOf(stage.server.token)['sub'] });
      expect(mine.expires_unix).toBe(claimsOf(stage.server.token)['exp']);
      expect(vera).toEqual({
        subject: 'vera',
        role: 'viewer',
        scopes: [{ ...scopes[0], deny: false }],
        expires_unix: issued.expires_unix,
        source: 'key',
      });
      const name = await stage.opened();
      expect((await stage.rpc('DeleteChannel', { name }, issued.mgmt_token)).status).toBe(403);
      const { body: id } = await stage.rpc('WhoAmI', {}, await stage.provider.idToken());
      expect(id).toMatchObject({ source: 'oidc' });
    };
  }),
  methodRow('TouchChannel', { name: 'channels touch', line: named, answer: wrapped }, async (ask, stage) => {
    const [kept, left] = [stage.fresh(), stage.fresh()];
    for (const name of [kept, left]) await stage.client().call('OpenPublic', { name, ttl_seconds: 1 });
    const stateOf = async (name: string) =>
      (await stage.client().call('GetChannel', { name })).channel?.state ?? '';
    const states: string[] = [];
    await eventually('the other one closes', async () => {
      states.push((await ask({ name: kept })).channel?.state ?? '');
      return (await stateOf(left)) === 'closed';
    });
    return async () => {
      expect(new Set(states)).toEqual(new Set(['open']));
      expect(await stage.subscribe(kept)).toBe('subscribed');
      await eventually('it closes too', async () => (await stateOf(kept)) === 'closed');
      expect((await stage.rpc('TouchChannel', { name: kept })).code).toBe('MSG_CHANNEL_CLOSED');
    };
  }),
  methodRow('CloseChannel', { name: 'channels close', line: named, answer: wrapped }, async (ask, stage) => {
    const name = await stage.opened();
    const listener = await stage.listener(name);
    const states = [(await ask({ name })).channel?.state, (await ask({ name })).channel?.state];
    return async () => {
      expect(states).toEqual(['closed', 'closed']);
      expect(await stage.subscribe(name)).toBe('waiting');
      expect((await stage.rpc('Publish', { name, data: '' })).code).toBe('MSG_CHANNEL_CLOSED');
      expect((await stage.client().call('Presence', { name })).subscribers).toBe(1);
      await stage.client().call('OpenPublic', { name });
      await stage.client().call('Publish', { name, json: 'again' });
      await eventually('the listener stayed', () => listener.publications.length === 1);
      const { name: secret } = await stage.created();
      expect((await stage.rpc('CloseChannel', { name: secret })).code).toBe('MSG_CHANNEL_INVALID');
    };
  }),
  methodRow(
    'History',
    {
      name: 'channels history',
      line: ({ name = '', from_offset = 0, limit = 50, reverse = false }) => [
        ...[name, '--from', String(from_offset), '--limit', String(limit)],
        ...(reverse ? ['--reverse'] : []),
      ],
    },
    async (ask, stage) => {
      const name = await stage.opened();
      const listener = await stage.listener(name);
      for (const n of [1, 2, 3]) await stage.client().call('Publish', { name, json: { n } });
      const [all, newest, middle] = [
        await ask({ name }),
        await ask({ name, reverse: true, limit: 1 }),
        await ask({ name, from_offset: 2, limit: 1 }),
      ];
      const { mgmt_token: viewer } = await stage.client().call('IssueMgmt', { role: 'viewer' });
      const { body: hidden } = await stage.rpc('History', { name }, viewer);
      return async () => {
        const shown = (page: typeof all) => page.publications.map(({ offset, data }) => [offset, data]);
        expect(shown(all)).toEqual([
          [1, '{"n":1}'],
          [2, '{"n":2}'],
          [3, '{"n":3}'],
        ]);
        expect([all.offset, all.first_offset, all.kept, all.more]).toEqual([3, 1, true, false]);
        expect([shown(newest), newest.more]).toEqual([[[3, '{"n":3}']], true]);
        expect([shown(middle), middle.more]).toEqual([[[2, '{"n":2}']], true]);
        expect(all.epoch).toBe(await listener.epoch());
        expect(await listener.history(10)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
        expect(JSON.stringify(hidden)).not.toContain('"n\\":');
        expect(hidden['publications']).toMatchObject([{ hidden: true, size: 7, data: '' }, {}, {}]);
        expect((await stage.rpc('History', { name: stage.fresh() })).code).toBe('MSG_CHANNEL_NOT_FOUND');
      };
    },
  ),
  methodRow('ListConnections', { name: 'connections list', line: flags }, async (ask, stage) => {
    const name = await stage.opened();
    const listeners = [await stage.listener(name), await stage.listener(name)];
    const page = await ask({ name, limit: 10 });
    return async () => {
      expect(page.total).toBe(2);
      expect(page.missing_nodes).toEqual([]);
      for (const { client } of page.connections) {
        const { disconnected } = await stage.client().call('Disconnect', { client, reason: name });
        expect(disconnected).toBe(1);
      }
      await stage.listening(name, 0);
      for (const listener of listeners) listener.leave();
    };
  }),
  methodRow(
    'GetConnection',
    { name: 'connections get', line: ({ client = '' }) => [client] },
    async (ask, stage) => {
      const pair = await stage.created('gail');
      const listener = await stage.listener(pair.name, pair.access_token);
      const { connections } = await stage.client().call('ListConnections', { user: 'gail', name: pair.name });
      const answer = await ask({ client: connections[0]?.client ?? '' });
      return async () => {
        const { jti, exp } = claimsOf(pair.access_token);
        expect(answer.subscriptions).toMatchObject([
          { channel: pair.name, rests_on: { jti, expires_unix: exp, kid: signerOf(pair.access_token) } },
        ]);
        expect(answer.connection).toMatchObject({ user: 'gail', subscriptions: 1 });
        await stage.client().call('RevokeToken', { token_id: String(jti) });
        expect(await listener.ended).toBe(103);
      };
    },
  ),
  methodRow('ListUsers', { name: 'users list', line: ({ query = '' }) => [query] }, async (ask, stage) => {
    const user = `user-${stage.fresh().split('.').at(-1)}`;
    const pair = await stage.created(user);
    const listeners = [
      await stage.listener(pair.name, pair.access_token),
      await stage.listener(pair.name, pair.access_token),
    ];
    const { users } = await ask({ query: user });
    return async () => {
      expect(users).toMatchObject([{ user, connections: listeners.length }]);
      const { disconnected } = await stage.client().call('Disconnect', { user });
      expect(disconnected).toBe(listeners.length);
      await stage.listening(pair.name, 0);
    };
  }),
  methodRow('Disconnect', { name: 'connections disconnect', line: flags }, async (ask, stage) => {
    const user = `user-${stage.fresh().split('.').at(-1)}`;
    const pair = await stage.created(user);
    await stage.listener(pair.name, pair.access_token);
    const { disconnected } = await ask({ user });
    return async () => {
      expect(disconnected).toBe(1);
      await stage.listening(pair.name, 0);
      const { users } = await stage.client().call('ListUsers', { query: user });
      expect(users).toEqual([]);
    };
  }),
  methodRow(
    'Unsubscribe',
    { name: 'connections unsubscribe', line: ({ name = '' }) => [name, '--all'] },
    async (ask, stage) => {
      const name = await stage.opened();
      const listeners = [await stage.listener(name), await stage.listener(name)];
      const { unsubscribed } = await ask({ name, all: true });
      return async () => {
        expect(unsubscribed).toBe(2);
        expect(await Promise.all(listeners.map(({ ended }) => ended))).toEqual([2000, 2000]);
        expect(await stage.subscribe(name)).toBe('subscribed');
      };
    },
  ),
  methodRow('PresenceList', { name: 'channels presence-list', line: named }, async (ask, stage) => {
    const pair = await stage.created('pia');
    const listener = await stage.listener(pair.name, pair.access_token);
    const { entries, total } = await ask({ name: pair.name });
    return async () => {
      expect(total).toBe(1);
      expect(entries).toMatchObject([{ user: 'pia' }]);
      listener.leave();
      await stage.listening(pair.name, 0);
      expect((await ask({ name: pair.name })).entries).toEqual([]);
    };
  }),
  methodRow('AuditList', { name: 'audit list', line: flags }, async (ask, stage) => {
    const name = await stage.opened();
    const { mgmt_token: viewer } = await stage
      .client()
      .call('IssueMgmt', { subject: 'vera', role: 'viewer' });
    const refused = await stage.rpc('DeleteChannel', { name }, viewer);
    await stage.client().call('DeleteChannel', { name });
    const { records, missing_nodes } = await ask({ target: name });
    const { records: ofVera } = await ask({ actor: 'vera', limit: 1 });
    return async () => {
      expect(refused.status).toBe(403);
      expect(await stage.subscribe(name)).not.toBe('subscribed');
      expect(missing_nodes).toEqual([]);
      expect(records.map(({ method, outcome, role }) => [method, outcome, role])).toEqual([
        ['DeleteChannel', 'ok', 'admin'],
        ['DeleteChannel', 'MSG_AUTH_DENIED', 'viewer'],
        ['OpenPublic', 'ok', 'admin'],
      ]);
      expect(ofVera).toMatchObject([
        { actor: 'vera', target: `channel:${name}`, outcome: 'MSG_AUTH_DENIED' },
      ]);
    };
  }),
];
