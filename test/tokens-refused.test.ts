import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Embedded, embed, stopEmbedded } from '../packages/server/test/support/embedded.ts';
import {
  CLIENT_ID,
  type IdentityProvider,
  startIdentityProvider,
} from '../packages/server/test/support/identity-provider.ts';
import { rpcOf } from '../packages/server/test/support/rpc.ts';
import { type Scrape, scrape } from '../packages/server/test/support/scrape.ts';
import { closeClients, trySubscribe } from '../packages/server/test/support/stock-client.ts';
import { firing } from './support/alert-expression.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const ALERTS = join(import.meta.dirname, '../ops/prometheus/alerts.yaml');
const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Rule[] }[] };
const EXPRESSION = groups.flatMap(({ rules }) => rules).find(rule => rule.alert === 'MsgTokensRefused')?.expr;

const COUNTER = 'msg_token_verifications_total';
const ROUNDS = 10;
const SCOPES = [{ pattern: 'private:shop.**', verbs: ['subscribe', 'publish', 'manage'] as const }];

let provider: IdentityProvider;
let service: Embedded;
beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await embed({
    revocationStore: 'auto',
    oidc: { issuer: provider.issuer, audience: CLIENT_ID, allowAll: true },
  });
});
afterAll(async () => {
  closeClients();
  await stopEmbedded();
  await provider.stop();
});

const read = (): Promise<Scrape> => scrape(service.url);

/** Runs traffic; answers the types for which the alert fires, and what it counted by type and result. */
async function over(traffic: () => Promise<unknown>) {
  const before = await read();
  await traffic();
  const after = await read();
  const types = firing(EXPRESSION ?? '', { before, after }).map(({ labels }) => labels['type'] ?? '');
  const counts = after.samples(COUNTER).flatMap(({ labels, value }) => {
    const increase = value - before.value(COUNTER, labels);
    return increase === 0 ? [] : [`${labels['type']} ${labels['result']} ${increase}`];
  });
  return { types: types.sort(), counts: counts.sort() };
}

let created = 0;
function newPair() {
  const name = `private:shop.order.${++created}`;
  return service.msg.channels.createPrivate({ name, subject: 'ann', scopes: SCOPES });
}

/** A token with another signature. */
function forged(token: string): string {
  const [header, payload, signature = ''] = token.split('.');
  return `${header}.${payload}.${[...signature].reverse().join('')}`;
}

const call = async (token: string, method: string, request: object): Promise<number> =>
  (await rpcOf(service.url, token)(method, request)).status;

async function readStream(name: string, token: string): Promise<number> {
  const abort = new AbortController();
  const { status } = await fetch(`${service.url}/sse?channel=${name}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  });
  abort.abort();
  return status;
}

it('the alert is silent on healthy traffic of every type, and each verification counts once', async () => {
  const { token: bearer } = service.msg.tokens.issueManagement();
  const idToken = await provider.idToken();
  const { counts, types } = await over(async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { name, access_token: token, refresh_token: refresh } = await newPair();
      expect(await call(bearer, 'Publish', { name, data: '' })).toBe(200);
      expect(await call(idToken, 'ListChannels', {})).toBe(200);
      expect(await call(token, 'GetChannel', { name })).toBe(200);
      expect(await call('', 'RefreshToken', { refresh_token: refresh })).toBe(200);
      expect(await trySubscribe(service.websocketUrl, name, { connect: token })).toBe('subscribed');
      expect(await trySubscribe(service.websocketUrl, name, { own: token })).toBe('subscribed');
    }
  });
  expect(types).toEqual([]);
  expect(counts).toEqual([
    `access success ${3 * ROUNDS}`,
    `mgmt success ${2 * ROUNDS}`,
    `refresh success ${ROUNDS}`,
  ]);
});

it('nor does a reader of one channel make it fire, whose token is verified once too', async () => {
  const { name, access_token: token } = await newPair();
  const traffic = async () => expect(await readStream(name, token)).toBe(200);
  expect(await over(traffic)).toEqual({ types: [], counts: ['access success 1'] });
});

it('forged tokens make it fire, for the type they claim', async () => {
  const { name, access_token: token, refresh_token: refresh } = await newPair();
  const { token: bearer } = service.msg.tokens.issueManagement();
  const id = forged(await provider.idToken());
  const attempts: readonly (readonly [string, string, () => Promise<unknown>])[] = [
    ['bearer', 'mgmt', () => call(forged(bearer), 'ListKeys', {})],
    ['ID token', 'mgmt', () => call(id, 'ListKeys', {})],
    ['access token of a call', 'access', () => call(forged(token), 'GetChannel', { name })],
    ['refresh token', 'refresh', () => call('', 'RefreshToken', { refresh_token: forged(refresh) })],
    ['subscribe', 'access', () => trySubscribe(service.websocketUrl, name, { own: forged(token) })],
    ['stream', 'access', () => readStream(name, forged(token))],
    ['anything', 'unknown', () => call('nonsense', 'ListKeys', {})],
  ];
  for (const [what, type, attempt] of attempts) {
    expect(await over(attempt), what).toEqual({ types: [type], counts: [`${type} failure 1`] });
  }
});

it('fires for a third of forged tokens among good ones, not for a few; garbage counts against all traffic', async () => {
  const { token: bearer } = service.msg.tokens.issueManagement();
  const calls = async (good: number, bad: number, badToken: string) => {
    const { types } = await over(async () => {
      for (let n = 0; n < good; n++) await call(bearer, 'ListKeys', {});
      for (let n = 0; n < bad; n++) await call(badToken, 'ListKeys', {});
    });
    return types;
  };
  expect(await calls(9, 1, forged(bearer))).toEqual([]);
  expect(await calls(2, 1, forged(bearer))).toEqual(['mgmt']);
  expect(await calls(9, 1, 'nonsense')).toEqual([]);
  expect(await calls(2, 1, 'nonsense')).toEqual(['unknown']);
});
