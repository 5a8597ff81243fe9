import { ManualClock } from '@msg/foundation/clock/testing';
import type { AuthorizationAnswer, CustomAuthorizer } from '@msg/server';
import { afterEach, describe, expect, test } from 'vitest';
import { AuthorizerGuard } from '#src/auth/access/custom-authorizer.ts';
import { embed, stopEmbedded } from '../../support/embedded.ts';
import { rpcOf } from '../../support/rpc.ts';
import { scrape } from '../../support/scrape.ts';
import { closeClients, codeOf, stockClient, trySubscribe } from '../../support/stock-client.ts';

const NAME = 'private:shop.order.1';
const OPEN = 'public:shop.news';

/** What an authorizer was asked. */
type Asked = Parameters<CustomAuthorizer>[0];

describe('a custom authorizer', () => {
  afterEach(async () => {
    closeClients();
    await stopEmbedded();
  });

  /** A service with two channels, whose authorizer answers as the test says. */
  async function service(answer: CustomAuthorizer, tokens = true) {
    const asked: Asked[] = [];
    const embedded = await embed({
      authorizer: request => {
        asked.push(request);
        return answer(request);
      },
      tokens,
      revocationStore: 'auto',
    });
    await embedded.msg.channels.openPublic(OPEN);
    const { access_token: token } = await embedded.msg.channels.createPrivate({
      name: NAME,
      subject: 'ann',
      scopes: [{ pattern: 'private:shop.secret.*', verbs: ['subscribe'], deny: true }],
    });
    return { ...embedded, asked, token };
  }

  test('is asked after name, state and grants, with the connection and the claims', async () => {
    const { websocketUrl, asked, token } = await service(() => undefined);
    expect(await trySubscribe(websocketUrl, 'public:Nonsense')).toBe(107);
    expect(await trySubscribe(websocketUrl, 'public:shop.closed')).toBe('waiting');
    expect(asked).toEqual([]);
    expect(await trySubscribe(websocketUrl, NAME, { connect: token })).toBe('subscribed');
    expect(asked).toMatchObject([
      { principal: { user: 'ann', clientId: expect.any(String) }, verb: 'subscribe', channel: NAME },
    ]);
    expect(asked[0]?.token).toMatchObject({ sub: 'ann', chs: [NAME] });
  });

  test('without an opinion leaves each decision as it stands', async () => {
    const { websocketUrl, token } = await service(async () => undefined);
    expect(await trySubscribe(websocketUrl, OPEN)).toBe('subscribed');
    expect(await trySubscribe(websocketUrl, NAME)).toBe(103);
    expect(await trySubscribe(websocketUrl, NAME, { connect: token })).toBe('subscribed');
  });

  test('denies what was allowed, with its reason', async () => {
    const { websocketUrl, token } = await service(() => ({ deny: 'the shop is closed' }));
    expect(await trySubscribe(websocketUrl, OPEN)).toBe(103);
    const client = stockClient(websocketUrl, { token });
    client.connect();
    const subscription = client.newSubscription(NAME);
    const reason = new Promise<string>(resolve =>
      subscription.on('unsubscribed', context => resolve(context.reason)),
    );
    subscription.subscribe();
    expect(await reason).toBe('MSG_AUTH_DENIED: the shop is closed');
    expect(await codeOf(client.publish(NAME, {}))).toBe(103);
  });

  test('allows what no grant gives, a publish of anonymous clients too', async () => {
    const { websocketUrl } = await service(() => 'allow');
    expect(await trySubscribe(websocketUrl, NAME)).toBe('subscribed');
    const client = stockClient(websocketUrl);
    client.connect();
    expect(await codeOf(client.publish(OPEN, {}))).toBe('ok');
  });

  test('lifts neither a deny scope nor a revocation nor a bad token', async () => {
    const { msg, websocketUrl, asked, token } = await service(() => 'allow');
    await msg.channels.createPrivate({ name: 'private:shop.secret.1' });
    expect(await trySubscribe(websocketUrl, 'private:shop.secret.1', { connect: token })).toBe(103);
    expect(await trySubscribe(websocketUrl, NAME, { own: 'garbage' })).toBe(103);
    await msg.tokens.revokeUser('ann');
    expect(await trySubscribe(websocketUrl, NAME, { connect: token })).toBe(103);
    expect(asked).toEqual([]);
  });

  test.each<[string, CustomAuthorizer]>([
    ['throws', () => Promise.reject(new Error('database gone'))],
    ['answers nonsense', () => true as unknown as AuthorizationAnswer],
  ])('that %s denies, and is counted', async (_what, answer) => {
    const { url, websocketUrl } = await service(answer);
    expect(await trySubscribe(websocketUrl, OPEN)).toBe(103);
    expect((await scrape(url)).value('msg_authorizer_answers_total', { answer: 'error' })).toBe(1);
  });

  test('decides alone when tokens give no rights', async () => {
    const { websocketUrl, token } = await service(
      ({ principal }) => (principal.user === 'ann' ? 'allow' : undefined),
      false,
    );
    expect(await trySubscribe(websocketUrl, NAME, { connect: token })).toBe('subscribed');
    expect(await trySubscribe(websocketUrl, NAME)).toBe(103);
  });

  test('absent, with tokens that give no rights: every private subscribe is denied', async () => {
    const { msg, websocketUrl } = await embed({ tokens: false });
    const { access_token: token } = await msg.channels.createPrivate({ name: NAME });
    await msg.channels.openPublic(OPEN);
    expect(await trySubscribe(websocketUrl, NAME, { connect: token })).toBe(103);
    expect(await trySubscribe(websocketUrl, NAME, { own: token })).toBe(103);
    expect(await trySubscribe(websocketUrl, OPEN)).toBe('subscribed');
  });
});

test('an authorizer that does not answer within 2 s denies', async () => {
  const clock = new ManualClock();
  const answers: string[] = [];
  const errors: unknown[] = [];
  const guard = new AuthorizerGuard({
    authorize: () => new Promise(() => {}),
    clock,
    onAnswer: answer => answers.push(answer),
    onError: error => errors.push(error),
  });
  const principal = { user: 'ann', clientId: '' };
  const answer = guard.ask({ principal, verb: 'subscribe', channel: OPEN, token: undefined });
  await clock.advance(1999);
  expect(answers).toEqual([]);
  await clock.advance(1);
  expect(await answer).toEqual({ deny: 'the authorizer does not answer' });
  expect([answers, errors.length]).toEqual([['error'], 1]);
});

test('an explanation asks the authorizer as the subject of the token, and names it', async () => {
  const asked: Asked[] = [];
  const { msg, url } = await embed({
    authorizer: request => {
      asked.push(request);
      return { deny: 'not today' };
    },
  });
  try {
    const { access_token: token } = await msg.channels.createPrivate({ name: NAME, subject: 'ann' });
    const { body } = await rpcOf(url, msg.tokens.issueManagement().token)('ExplainAccess', {
      name: NAME,
      verb: 'subscribe',
      token,
    });
    expect(body).toMatchObject({ allowed: false, decided_by: 'authorizer', detail: 'not today' });
    expect(asked.map(({ principal }) => principal)).toEqual([{ user: 'ann', clientId: '' }]);
  } finally {
    await stopEmbedded();
  }
});
