// Append streams for bearers of an identity provider: roles and grants of their groups decide (append streams 5.1).
import { appendStream, createRpcClient } from '@msg/core';
import type { OidcGrant, OidcRole } from '@msg/server';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { CLIENT_ID, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { type RpcAnswer, rpcOf } from '../support/rpc.ts';

const CHAT = 'public:shop.chat';
const CHANNELS = {
  rules: [{ pattern: `${CHAT}.**`, append: true, appendWindowMs: 0 }],
  open: [{ pattern: 'public:shop.**' }],
};
const ROLES: readonly OidcRole[] = [
  { ifGroup: 'admins', role: 'admin' },
  { ifGroup: 'workers', role: 'operator' },
  { ifGroup: 'listeners', role: 'operator' },
  { ifGroup: 'sellers', role: 'operator' },
  { ifGroup: 'watchers', role: 'viewer' },
];
const GRANTS: readonly OidcGrant[] = [
  { ifGroup: 'admins', scope: '*:**', verbs: ['subscribe', 'publish', 'manage'] },
  { ifGroup: 'workers', scope: `${CHAT}.**`, verbs: ['publish'] },
  { ifGroup: 'watchers', scope: `${CHAT}.**`, verbs: ['publish'] },
  { ifGroup: 'guests', scope: `${CHAT}.**`, verbs: ['publish'] },
  { ifGroup: 'listeners', scope: `${CHAT}.**`, verbs: ['subscribe', 'manage'] },
  { ifGroup: 'sellers', scope: 'public:shop.orders.**', verbs: ['publish', 'manage'] },
];

let provider: IdentityProvider;
let service: Embedded;
let chats = 0;
let name = '';

beforeAll(async () => {
  provider = await startIdentityProvider();
  const oidc = {
    issuer: provider.issuer,
    audience: CLIENT_ID,
    subjectClaim: 'email',
    roles: ROLES,
    grants: GRANTS,
  };
  service = await embed({ channels: CHANNELS, oidc });
});
afterAll(async () => {
  await stopEmbedded();
  await provider.stop();
});
beforeEach(() => {
  name = `${CHAT}.${++chats}.r1`;
});

const emailOf = (group: string): string => `${group}@example.com`;

/** The methods as members of a group call them. */
async function callerOf(group: string) {
  const rpc = rpcOf(service.url, await provider.idToken({ groups: [group], email: emailOf(group) }));
  return {
    append: (request: object) => rpc('Append', { name, message: 'm', producer: 'p', ...request }),
    state: (request: object = {}) => rpc('AppendState', { name, ...request }),
    cancel: (request: object = {}) => rpc('AppendCancel', { name, ...request }),
    audited: async () =>
      (await rpc('AuditList', { method: 'AppendCancel', target: `channel:${name}` })).body['records'],
  };
}

const ALLOWED = 'allowed';
const outcome = ({ status, code, body }: RpcAnswer): unknown =>
  status === 200 ? ALLOWED : [status, code, body['msg']];
const denied = (text: string): unknown => [403, 'MSG_AUTH_DENIED', text];
const needs = (role: string): string => `and this needs the role ${role}`;
const noGrant = (channel: string): string => `the bearer does not grant publish on ${channel}`;

describe('an ID token of a group', () => {
  it.each(['admins', 'workers'])('%s appends, reads and cancels', async group => {
    const { append, state, cancel } = await callerOf(group);
    expect(outcome(await append({ seq: 1, text: 'a' }))).toBe(ALLOWED);
    const { body } = await state({ with_document: true });
    expect(body).toMatchObject({ message: 'm', seq: 1, hidden: false });
    expect(Buffer.from(String(body['document']), 'base64').toString()).toContain('"text":"a"');
    expect((await cancel({ reason: 'enough' })).body).toMatchObject({
      status: 'streaming',
      cancel: { by: emailOf(group), reason: 'enough' },
    });
    const end = await append({ seq: 2, ops: [{ status: 'cancelled' }] });
    expect(end.body).toMatchObject({ status: 'cancelled', cancel: { by: emailOf(group) } });
  });

  it('watchers, who are viewers, read without the document, and change nothing', async () => {
    const [worker, { append, state, cancel }] = [await callerOf('workers'), await callerOf('watchers')];
    await worker.append({ seq: 1, text: 'secret' });
    const before = (await worker.state({ with_document: true })).body;
    const refused = denied(`the bearer has the role viewer, ${needs('operator')}`);
    expect(outcome(await append({ seq: 2, text: 'forged' }))).toEqual(refused);
    expect(outcome(await append({ seq: 2, producer: 'q', take_over: true, text: 'forged' }))).toEqual(
      refused,
    );
    expect(outcome(await append({ seq: 2 }))).toEqual(refused);
    expect(outcome(await cancel())).toEqual(refused);
    expect((await state({ with_document: true })).body).toMatchObject({
      document: null,
      hidden: true,
      seq: 1,
    });
    expect((await worker.state({ with_document: true })).body).toEqual(before);
  });

  it.each([
    ['listeners', 'whose grant is for other verbs', () => [noGrant(name), noGrant(name)]],
    ['sellers', 'whose grant is for other channels', () => [noGrant(name), noGrant(name)]],
    [
      'guests',
      'who have a grant and no role',
      () => ['operator', 'viewer'].map(role => `the bearer has no role, ${needs(role)}`),
    ],
    [
      'strangers',
      'who have neither',
      () => ['operator', 'viewer'].map(role => `the bearer has no role, ${needs(role)}`),
    ],
  ])('%s, %s, do nothing', async (group, _why, texts) => {
    const [worker, { append, state, cancel }] = [await callerOf('workers'), await callerOf(group)];
    await worker.append({ seq: 1, text: 'secret' });
    const before = (await worker.state({ with_document: true })).body;
    const [write = '', read = ''] = texts();
    expect(outcome(await append({ seq: 2, text: 'forged' }))).toEqual(denied(write));
    expect(outcome(await state({ with_document: true }))).toEqual(denied(read));
    expect(outcome(await cancel())).toEqual(denied(write));
    // The bearer is looked at before the channel: a stranger does not learn whether one is there.
    expect(outcome(await append({ message: 'other', seq: 7, text: 'forged' }))).toEqual(denied(write));
    expect((await worker.state({ with_document: true })).body).toEqual(before);
  });

  it('is in the audit with its subject, whether it was allowed to cancel or not', async () => {
    const worker = await callerOf('workers');
    await worker.append({ seq: 1, text: 'a' });
    await (await callerOf('watchers')).cancel({ reason: 'please' });
    await worker.cancel({ reason: 'enough' });
    const records = await (await callerOf('admins')).audited();
    expect(records).toMatchObject([
      { actor: emailOf('workers'), role: 'operator', outcome: 'ok' },
      { actor: emailOf('watchers'), role: 'viewer', outcome: 'MSG_AUTH_DENIED' },
    ]);
  });
});

describe('a writer whose ID token expires', () => {
  const claims = { groups: ['workers'], email: emailOf('workers') };
  const LIFETIME_S = 2;

  /** A message whose writer has a token that is over. Its source has `next` once a request was refused. */
  async function writerWithout(next?: string) {
    const exp = Math.floor(Date.now() / 1000) + LIFETIME_S;
    const first = await provider.idToken({ ...claims, exp });
    const refused: string[] = [];
    const client = createRpcClient<AbortSignal>({
      server: service.url,
      token: () => (refused.length > 0 && next !== undefined ? next : first),
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (url.endsWith('/Append') && answer.status !== 200) refused.push(await answer.clone().text());
        return answer;
      },
    });
    const stream = await appendStream(client, name, { message: 'm' });
    await stream.write('before ');
    await eventually('the token is over', () => Date.now() > exp * 1000);
    return { stream, codes: () => refused.map(text => JSON.parse(text).meta.code) };
  }

  async function documentNow(): Promise<unknown> {
    const { body } = await (await callerOf('workers')).state({ message: 'm', with_document: true });
    return JSON.parse(Buffer.from(String(body['document']), 'base64').toString());
  }

  it('goes on with the next one of its source, and appends nothing twice', async () => {
    const { stream, codes } = await writerWithout(await provider.idToken(claims));
    await stream.write('and after');
    expect(await stream.complete()).toMatchObject({ status: 'complete' });
    expect(codes()).toEqual(['MSG_AUTH_EXPIRED']);
    expect(await documentNow()).toMatchObject({ status: 'complete', text: 'before and after' });
  });

  it('stops after one more try when its source has no other', async () => {
    const { stream, codes } = await writerWithout();
    await stream.write('never');
    await expect(stream.complete()).rejects.toMatchObject({ code: 'MSG_AUTH_EXPIRED' });
    expect(stream.signal.reason).toMatchObject({ code: 'MSG_AUTH_EXPIRED' });
    expect(codes()).toEqual(['MSG_AUTH_EXPIRED', 'MSG_AUTH_EXPIRED']);
    expect(await documentNow()).toMatchObject({ status: 'streaming', text: 'before ' });
  });
});
