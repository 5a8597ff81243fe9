import { payloadBytes } from '@msg/core/internal';
import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { manifestOf } from '../rpc.ts';
import { type MethodRow, methodRow } from './row.ts';
import { claimsOf, SINK, signerOf } from './stage.ts';

const named = ({ name = '' }) => [name];
const wrapped = (channel: object) => ({ channel });
const seconds = (ttl = 0) => (ttl === 0 ? [] : ['--ttl', `${ttl}s`]);
const json = (text: string): Uint8Array => Buffer.from(JSON.stringify(text));
const text = (data: unknown): string => Buffer.from(payloadBytes(data)).toString();

/** What the service says of itself, and of channels. */
export const channelRows: readonly MethodRow[] = [
  methodRow(
    'Manifest',
    { name: 'manifest', line: () => [], answer: payload => ({ format_version: '1.0', payload }) },
    async (ask, stage) => {
      const { payload } = await ask({});
      return async () => {
        expect(payload).toEqual(await manifestOf(stage.server.url));
        const { mgmt_token } = await stage.client().call('IssueMgmt', {});
        expect(signerOf(mgmt_token)).toBe(payload.active_key_id);
        expect(payload.sinks).toEqual([SINK]);
        expect(payload.transports).toContain('websocket');
        expect(await stage.subscribe(await stage.opened())).toBe('subscribed');
        expect((await fetch(stage.server.url + payload.metrics_path)).status).toBe(
          payload.metrics_enabled ? 200 : 404,
        );
        const { mgmt_token: doomed } = await stage.client().call('IssueMgmt', {});
        const { status } = await stage.rpc('RevokeToken', { token_id: claimsOf(doomed)['jti'] });
        expect(status === 200).toBe(payload.revocation_store_enabled);
        expect(await stage.accepts(await stage.provider.idToken())).toBe(payload.auth_oidc_enabled);
        const [body = ''] = await stage.parked(1);
        expect(stage.sends(body)).toBe(payload.sink_retry.max_attempts);
      };
    },
  ),
  methodRow(
    'OpenPublic',
    {
      name: 'channels open',
      line: ({ name = '', ttl_seconds }) => [name, ...seconds(ttl_seconds)],
      answer: wrapped,
    },
    async (ask, stage) => {
      const [name, brief] = [stage.fresh(), stage.fresh()];
      expect(await stage.subscribe(name)).toBe('waiting');
      await ask({ name });
      const { channel } = await ask({ name: brief, ttl_seconds: 1 });
      return async () => {
        const listener = await stage.listener(name);
        await stage.client().call('Publish', { name, data: json('open') });
        await eventually('the publication arrives', () => listener.publications.length === 1);
        expect(channel).toMatchObject({ name: brief, state: 'open', ttl_seconds: 1 });
        await eventually(
          'the channel closes as said',
          async () => (await stage.subscribe(brief)) === 'waiting',
        );
        const closedAfter = Date.now() - Date.parse(channel?.created_at ?? '');
        expect(closedAfter).toBeGreaterThanOrEqual(1000);
        expect(await stage.subscribe(name)).toBe('subscribed');
      };
    },
  ),
  methodRow(
    'CreatePrivate',
    {
      name: 'channels create',
      line: ({ name = '', ttl_seconds, subject = '', scopes = [] }) => [
        name,
        ...seconds(ttl_seconds),
        ...(subject === '' ? [] : ['--subject', subject]),
        ...scopes.flatMap(({ pattern = '', verbs = [] }) => [
          '--scope',
          pattern,
          ...verbs.flatMap(verb => ['--verb', verb]),
        ]),
      ],
    },
    async (ask, stage) => {
      const [name, side] = [stage.fresh('private:stage'), await stage.opened()];
      const scopes = [{ pattern: side, verbs: ['publish'] }];
      const pair = await ask({ name, ttl_seconds: 60, subject: 'ann', scopes });
      return async () => {
        expect(pair.name).toBe(name);
        expect(await stage.subscribe(name)).toBe(103);
        expect(await stage.subscribe(name, pair.access_token)).toBe('subscribed');
        const listener = await stage.listener(side);
        expect(await stage.publish(side, pair.access_token, 'granted')).toBe('ok');
        await eventually('it arrives', () => listener.publications.length === 1);
        const claims = claimsOf(pair.access_token);
        expect(claims).toMatchObject({ sub: 'ann', exp: pair.access_expires_unix });
        expect(claimsOf(pair.refresh_token)['exp']).toBe(pair.refresh_expires_unix);
        // The same claims, signed by the same key: the expiry decides.
        const expiring = (exp: number) =>
          stage.rpc('GetChannel', { name }, stage.key.sign({ ...claims, exp }));
        expect((await expiring(pair.access_expires_unix)).status).toBe(200);
        expect((await expiring(Number(claims['iat']) - 1)).code).toBe('MSG_AUTH_EXPIRED');
        expect((await stage.rpc('RefreshToken', { refresh_token: pair.refresh_token })).status).toBe(200);
        const { body } = await stage.rpc('GetChannel', { name });
        expect(body['channel']).toMatchObject({ state: 'open', ttl_seconds: 60, visibility: 'private' });
      };
    },
  ),
  methodRow('ListChannels', { name: 'channels list', line: () => [] }, async (ask, stage) => {
    const [open, gone, brief] = [await stage.opened(), await stage.opened(), stage.fresh()];
    await stage.client().call('DeleteChannel', { name: gone });
    await stage.client().call('OpenPublic', { name: brief, ttl_seconds: 1 });
    await eventually('it closes', async () => (await stage.subscribe(brief)) === 'waiting');
    const { channels } = await ask({});
    return async () => {
      const stateOf = (name: string) => channels.find(channel => channel.name === name)?.state;
      expect([stateOf(open), stateOf(brief), stateOf(gone)]).toEqual(['open', 'closed', undefined]);
      expect(await stage.subscribe(open)).toBe('subscribed');
      expect(await stage.subscribe(brief)).toBe('waiting');
      expect(typeof (await stage.subscribe(gone))).toBe('number');
    };
  }),
  methodRow(
    'GetChannel',
    { name: 'channels get', line: named, answer: ({ options, ...channel }) => ({ channel, options }) },
    async (ask, stage) => {
      const [open, brief] = [await stage.opened(), stage.fresh()];
      await stage.client().call('OpenPublic', { name: brief, ttl_seconds: 1 });
      await eventually('it closes', async () => (await stage.subscribe(brief)) === 'waiting');
      const answers = [await ask({ name: open }), await ask({ name: brief })];
      return async () => {
        expect(answers.map(({ channel }) => channel?.state)).toEqual(['open', 'closed']);
        expect([await stage.subscribe(open), await stage.subscribe(brief)]).toEqual([
          'subscribed',
          'waiting',
        ]);
      };
    },
  ),
  methodRow(
    'DeleteChannel',
    { name: 'channels delete', line: named, answer: () => ({}) },
    async (ask, stage) => {
      const name = await stage.opened();
      const listener = await stage.listener(name);
      await ask({ name });
      return async () => {
        expect(await listener.ended).toBe(2000);
        expect((await stage.rpc('OpenPublic', { name })).code).toBe('MSG_CHANNEL_NOT_FOUND');
        expect((await stage.rpc('Publish', { name, data: '' })).status).not.toBe(200);
        expect(typeof (await stage.subscribe(name))).toBe('number');
      };
    },
  ),
  methodRow(
    'Presence',
    { name: 'channels presence', line: named, answer: ({ subscribers }) => ({ subscribers }) },
    async (ask, stage) => {
      const name = await stage.opened();
      const listeners = [await stage.listener(name), await stage.listener(name)];
      const { subscribers } = await ask({ name });
      return async () => {
        expect(subscribers).toBe(2);
        await stage.client().call('Publish', { name, data: json('hello') });
        await eventually('all of them hear it', () => {
          return listeners.filter(({ publications }) => publications.length === 1).length === subscribers;
        });
        for (const listener of listeners) listener.leave();
        await eventually('nobody is there', async () => (await ask({ name })).subscribers === 0);
        stage.hook.behaviour = { status: 200 };
        const request = { name, sink: SINK, message: { body: name } };
        expect((await stage.client().call('PublishOrSink', request)).outcome).toBe('sent');
      };
    },
  ),
  methodRow(
    'Publish',
    { name: 'publish', line: ({ name = '', data }) => [name, '--data', text(data)] },
    async (ask, stage) => {
      const name = await stage.opened();
      const listener = await stage.listener(name);
      const answers = [await ask({ name, data: json('one') }), await ask({ name, data: json('two') })];
      return async () => {
        await eventually('both arrive', () => listener.publications.length === 2);
        expect(listener.publications.map(({ data, offset }) => ({ data, offset }))).toEqual([
          { data: 'one', offset: answers[0]?.offset },
          { data: 'two', offset: answers[1]?.offset },
        ]);
        expect(answers[1]?.epoch).toBe(await listener.epoch());
      };
    },
  ),
];
