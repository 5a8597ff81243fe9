import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import { claimsOf, signerOf } from './stage.ts';

const reasoned = (reason = '') => (reason === '' ? [] : ['--reason', reason]);

/** Rights and tokens. */
export const tokenRows: readonly MethodRow[] = [
  methodRow(
    'ExplainAccess',
    { name: 'authz explain', line: ({ name = '', verb = '', token = '' }) => [name, verb, token] },
    async (ask, stage) => {
      const [mine, other, closed] = [await stage.created(), await stage.created(), stage.fresh()];
      const token = mine.access_token;
      const explain = (name: string, verb: string) => ask({ name, verb, token });
      const answers = [
        await explain(mine.name, 'subscribe'),
        await explain(mine.name, 'publish'),
        await explain(other.name, 'subscribe'),
        await explain(other.name, 'publish'),
        await explain(closed, 'subscribe'),
      ];
      return async () => {
        const outcomes = [
          await stage.subscribe(mine.name, token),
          await stage.publish(mine.name, token),
          await stage.subscribe(other.name, token),
          await stage.publish(other.name, token),
          await stage.subscribe(closed, token),
        ];
        expect(outcomes).toEqual(['subscribed', 'ok', 103, 103, 'waiting']);
        expect(answers.map(({ allowed, code }) => [allowed, code])).toEqual([
          [true, ''],
          [true, ''],
          [false, 'MSG_AUTH_DENIED'],
          [false, 'MSG_AUTH_DENIED'],
          [false, 'MSG_CHANNEL_CLOSED'],
        ]);
        expect(answers.slice(0, 4).map(({ channel_state }) => channel_state)).toEqual(Array(4).fill('open'));
      };
    },
  ),
  methodRow(
    'RefreshToken',
    { name: 'tokens refresh', line: ({ refresh_token = '' }) => [refresh_token] },
    async (ask, stage) => {
      const pair = await stage.created();
      const answer = await ask({ refresh_token: pair.refresh_token });
      return async () => {
        expect(await stage.subscribe(pair.name, answer.access_token)).toBe('subscribed');
        const claims = claimsOf(answer.access_token);
        expect(Date.parse(answer.expires_at)).toBe(Number(claims['exp']) * 1000);
        expect(claimsOf(answer.refresh_token)['exp']).toBe(answer.refresh_expires_unix);
        expect(answer.rotated).toBe(true);
        const refresh = (refresh_token: string) => stage.rpc('RefreshToken', { refresh_token });
        const next = await refresh(answer.refresh_token);
        expect(next.status).toBe(200);
        // The old token is used up: a second use ends the family.
        expect((await refresh(pair.refresh_token)).code).toBe('MSG_AUTH_DENIED');
        expect((await refresh(String(next.body['refresh_token']))).code).toBe('MSG_AUTH_DENIED');
      };
    },
  ),
  methodRow(
    'IssueAccess',
    {
      name: 'tokens issue',
      line: ({ subject = '', scopes = [], ttl_seconds = 0, session_ttl_seconds = 0, refresh = true }) => [
        subject,
        ...scopes.flatMap(({ pattern = '', verbs = [] }) => [
          '--scope',
          pattern,
          ...verbs.flatMap(verb => ['--verb', verb]),
        ]),
        ...(ttl_seconds === 0 ? [] : ['--ttl', `${ttl_seconds}s`]),
        ...(session_ttl_seconds === 0 ? [] : ['--session-ttl', `${session_ttl_seconds}s`]),
        ...(refresh ? [] : ['--no-refresh']),
      ],
    },
    async (ask, stage) => {
      const [mine, other] = [await stage.created(), await stage.created()];
      const scopes = [{ pattern: mine.name, verbs: ['subscribe', 'publish'] }];
      const pair = await ask({ subject: 'bob', scopes, ttl_seconds: 120, session_ttl_seconds: 600 });
      const alone = await ask({ subject: 'eve', scopes, refresh: false });
      return async () => {
        expect(pair.name).toBe('');
        expect(claimsOf(pair.access_token)).toMatchObject({ sub: 'bob', typ: 'access' });
        expect(claimsOf(pair.access_token)['exp']).toBe(pair.access_expires_unix);
        expect(claimsOf(pair.refresh_token)['exp']).toBe(pair.refresh_expires_unix);
        expect(await stage.subscribe(mine.name, pair.access_token)).toBe('subscribed');
        expect(await stage.publish(mine.name, pair.access_token)).toBe('ok');
        expect(await stage.subscribe(other.name, pair.access_token)).toBe(103);
        const next = await stage.rpc('RefreshToken', { refresh_token: pair.refresh_token });
        expect(next.status).toBe(200);
        expect(await stage.subscribe(mine.name, String(next.body['access_token']))).toBe('subscribed');
        // The session ends when it was said to end, however often its tokens are refreshed.
        const { exp, fex } = claimsOf(String(next.body['refresh_token']));
        expect([exp, fex]).toEqual([pair.refresh_expires_unix, pair.refresh_expires_unix]);
        expect([alone.refresh_token, alone.refresh_expires_unix]).toEqual(['', 0]);
        expect(await stage.subscribe(mine.name, alone.access_token)).toBe('subscribed');
      };
    },
  ),
  methodRow(
    'IssueMgmt',
    {
      name: 'tokens mgmt',
      line: ({ subject = '', ttl_seconds = 0 }) => ['--subject', subject, '--ttl', `${ttl_seconds}s`],
    },
    async (ask, stage) => {
      const answer = await ask({ subject: 'deploy', ttl_seconds: 7200 });
      return async () => {
        expect(await stage.accepts(answer.mgmt_token)).toBe(true);
        expect(signerOf(answer.mgmt_token)).toBe(answer.signed_by_key_id);
        expect(Date.parse(answer.expires_at)).toBe(answer.expires_unix * 1000);
        const claims = claimsOf(answer.mgmt_token);
        expect(claims).toMatchObject({ sub: 'deploy', exp: answer.expires_unix });
        expect(answer.expires_unix - Number(claims['iat'])).toBe(7200);
        // The same claims, signed by the same key: the expiry decides.
        expect(signerOf(answer.mgmt_token)).toBe(stage.key.kid);
        expect(await stage.accepts(stage.key.sign(claims))).toBe(true);
        const over = stage.key.sign({ ...claims, iat: 1_700_000_000, exp: 1_700_007_200 });
        expect((await stage.rpc('ListChannels', {}, over)).code).toBe('MSG_AUTH_EXPIRED');
      };
    },
  ),
  methodRow(
    'RevokeToken',
    {
      name: 'tokens revoke',
      line: ({ token_id = '', reason }) => [token_id, ...reasoned(reason)],
      answer: () => ({}),
    },
    async (ask, stage) => {
      const [leaked, kept] = [await stage.created('bob'), await stage.created('bob')];
      const { mgmt_token } = await stage.client().call('IssueMgmt', { subject: 'bob' });
      const listener = await stage.listener(leaked.name, leaked.access_token);
      expect(await stage.accepts(mgmt_token)).toBe(true);
      for (const token of [leaked.access_token, mgmt_token])
        await ask({ token_id: String(claimsOf(token)['jti']), reason: 'leaked' });
      return async () => {
        expect(await listener.ended).toBe(103);
        expect(await stage.subscribe(leaked.name, leaked.access_token)).not.toBe('subscribed');
        expect(await stage.subscribe(kept.name, kept.access_token)).toBe('subscribed');
        await eventually('the bearer is refused', async () => !(await stage.accepts(mgmt_token)));
      };
    },
  ),
  methodRow(
    'RevokeUser',
    {
      name: 'tokens revoke-user',
      line: ({ user_id = '', reason }) => [user_id, ...reasoned(reason)],
      answer: () => ({}),
    },
    async (ask, stage) => {
      const user = `user-of-${stage.fresh().split('.').at(-1)}`;
      const [pair, other] = [await stage.created(user), await stage.created('somebody-else')];
      const { mgmt_token } = await stage.client().call('IssueMgmt', { subject: user });
      const listener = await stage.listener(pair.name, pair.access_token);
      expect(await stage.accepts(mgmt_token)).toBe(true);
      await ask({ user_id: user });
      return async () => {
        expect(await listener.ended).toBe(103);
        expect(await stage.subscribe(pair.name, pair.access_token)).not.toBe('subscribed');
        expect((await stage.rpc('RefreshToken', { refresh_token: pair.refresh_token })).code).toBe(
          'MSG_AUTH_DENIED',
        );
        await eventually('the bearer is refused', async () => !(await stage.accepts(mgmt_token)));
        expect(await stage.subscribe(other.name, other.access_token)).toBe('subscribed');
        await eventually('a later token is accepted', async () => {
          const later = await stage.created(user);
          return (await stage.subscribe(later.name, later.access_token)) === 'subscribed';
        });
      };
    },
  ),
];
