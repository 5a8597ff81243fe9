import { METHODS, type ScopeClaim } from '@msg/core';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { isPromise } from '@msg/foundation/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { AccessControl, type AccessControlOptions } from '#src/auth/access/access-control.ts';
import { visibleChannels } from '#src/auth/access/bearer-rights.ts';
import type { Credential, Principal } from '#src/auth/access/principal.ts';
import { parseKeyring } from '#src/auth/keys/document.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import type { TokenType, VerifiedToken } from '#src/auth/tokens/claims.ts';
import { TokenVerifier } from '#src/auth/tokens/verifier.ts';
import type { ChannelState } from '#src/channels/record.ts';
import { keyringDocument, TestKey } from '../../support/minting.ts';

const NAME = 'private:shop.order.1';
const SECOND_MS = 1000;

let clock: ManualClock;
let key: TestKey;
let verifier: TokenVerifier;
let revoked: Set<string>;

beforeEach(async () => {
  clock = new ManualClock();
  key = new TestKey();
  const keySet = parseKeyring(keyringDocument(key));
  const keyring = await Keyring.open({ clock, random: systemRandom, keySet });
  verifier = new TokenVerifier({ keyring, clock, random: systemRandom });
  revoked = new Set();
});

function controlWith(options: Partial<AccessControlOptions> = {}): AccessControl {
  return new AccessControl({
    channels: { stateOf: () => 'open' },
    verifier,
    isRevoked: ({ subject }) => revoked.has(subject),
    ...options,
  });
}

function tokenOf(claims: object = {}, typ: TokenType = 'access'): VerifiedToken {
  const iat = Math.floor(clock.now() / SECOND_MS);
  return verifier.verify(typ, key.sign({ sub: 'ann', typ, iat, exp: iat + 300, ...claims }));
}

const scope = (pat: string, ...v: string[]): ScopeClaim => ({ pat, v });
const verified = (token: VerifiedToken): Credential => ({ kind: 'verified', token });

describe('a client', () => {
  const decide = (
    credential: Credential,
    verb: 'subscribe' | 'publish',
    name = NAME,
    access = controlWith(),
  ) => access.decide({ principal: { kind: 'client', credential }, verb, resource: name });

  it('is decided about by the first rule that applies, and the decision names it', async () => {
    const good = tokenOf({ chs: [NAME] });
    const scoped = tokenOf({ scopes: [scope('private:shop.**', 'publish')] });
    const denied = tokenOf({ chs: [NAME], scopes: [{ ...scope('private:shop.**', 'publish'), deny: true }] });
    const garbage: Credential = { kind: 'text', text: 'garbage' };
    const cases = [
      [decide({ kind: 'none' }, 'subscribe', 'public:a.b'), true, 'public', null],
      [decide({ kind: 'none' }, 'publish', 'public:a.b'), false, 'none', 'MSG_AUTH_DENIED'],
      [decide(garbage, 'subscribe'), false, 'token', 'MSG_AUTH_DENIED'],
      [decide(verified(good), 'publish'), true, 'chs', null],
      [decide(verified(scoped), 'publish'), true, 'allow-scope', null],
      [decide(verified(scoped), 'subscribe'), false, 'none', 'MSG_AUTH_DENIED'],
      [decide(verified(denied), 'publish'), false, 'deny-scope', 'MSG_AUTH_DENIED'],
      [
        decide(verified(good), 'publish', NAME, controlWith({ tokens: false })),
        false,
        'none',
        'MSG_AUTH_DENIED',
      ],
    ] as const;
    for (const [decision, allowed, rule, code] of cases) {
      expect(isPromise(decision)).toBe(false);
      expect(await decision).toMatchObject({ allowed, rule, code });
    }
  });

  it('whose token was revoked is told that before its expiry, on a publish', async () => {
    const credential = verified(tokenOf({ chs: [NAME] }));
    await clock.advance(301 * SECOND_MS);
    expect(await decide(credential, 'publish')).toMatchObject({ rule: 'token', code: 'MSG_AUTH_EXPIRED' });
    revoked.add('ann');
    expect(await decide(credential, 'publish')).toMatchObject({ rule: 'revoked', code: 'MSG_AUTH_DENIED' });
    expect(await decide(credential, 'subscribe')).toMatchObject({ rule: 'token', code: 'MSG_AUTH_EXPIRED' });
  });

  it('waits for a store of revocations, and for the authorizer', async () => {
    const asked: unknown[] = [];
    const access = controlWith({
      isRevoked: async ({ subject }) => revoked.has(subject),
      custom: { ask: async request => void asked.push(request) },
    });
    const credential = verified(tokenOf({ chs: [NAME] }));
    expect(await decide(credential, 'publish', NAME, access)).toMatchObject({ allowed: true, rule: 'chs' });
    const principal = { user: 'ann', clientId: '' };
    expect(asked).toMatchObject([{ principal, verb: 'publish', channel: NAME, token: { sub: 'ann' } }]);
    revoked.add('ann');
    expect(await decide(credential, 'publish', NAME, access)).toMatchObject({ rule: 'revoked' });
    expect(asked).toHaveLength(1);
  });

  it('learns the state of a channel before a token is looked at', async () => {
    const inState = (state: ChannelState | undefined) =>
      controlWith({ channels: { stateOf: () => state } }).decideState(NAME);
    expect(await inState('open')).toBeUndefined();
    expect(await inState('closed')).toMatchObject({ rule: 'channel-state', temporary: true });
    expect(await inState(undefined)).toMatchObject({ rule: 'channel-state', temporary: true });
    expect(await inState('deleted')).toMatchObject({ code: 'MSG_CHANNEL_CLOSED', temporary: false });
    expect(await controlWith().decideState('x')).toMatchObject({ rule: 'grammar' });
  });
});

describe('a caller of the RPC', () => {
  const management = (claims: object = {}): Principal => ({
    kind: 'management',
    token: tokenOf(claims, 'mgmt'),
  });
  const call = (
    principal: Principal,
    name: keyof typeof METHODS,
    resource?: string,
    access = controlWith(),
  ) => access.decide({ principal, method: METHODS[name].access, resource });

  it('without scopes may call every method; an anonymous one got this far because it may', () => {
    const principals: Principal[] = [{ kind: 'anonymous' }, management()];
    for (const principal of principals) {
      expect(call(principal, 'ListKeys')).toMatchObject({ allowed: true });
      expect(call(principal, 'Publish', 'public:a.b')).toMatchObject({ allowed: true });
    }
  });

  it('with scopes may do what they cover', () => {
    const shop = management({ scopes: [scope('public:shop.**', 'publish', 'manage')] });
    const everything = management({ scopes: [scope('public:**', 'manage'), scope('private:**', 'manage')] });
    const reader = management({ scopes: [scope('public:**', 'subscribe')] });
    const denial = (rule: string, code: string, detail: string) => ({ allowed: false, rule, code, detail });
    const notEverything = 'the bearer does not grant manage on public:** and private:**';
    const cases: [unknown, object][] = [
      [call(shop, 'Publish', 'public:shop.a'), { allowed: true, rule: 'allow-scope' }],
      [
        call(shop, 'Publish', 'public:other.a'),
        denial('none', 'MSG_AUTH_DENIED', 'the bearer does not grant publish on public:other.a'),
      ],
      [call(shop, 'Publish', 'nonsense'), { allowed: false, rule: 'grammar', code: 'MSG_CHANNEL_INVALID' }],
      [call(shop, 'Publish'), { allowed: false, rule: 'grammar', code: 'MSG_CHANNEL_INVALID' }],
      [call(shop, 'ListChannels'), { allowed: true }],
      [call(reader, 'ListChannels'), denial('none', 'MSG_AUTH_DENIED', 'the bearer grants no manage')],
      [call(shop, 'ListKeys'), denial('none', 'MSG_AUTH_DENIED', notEverything)],
      [call(everything, 'ListKeys'), { allowed: true }],
    ];
    for (const [decision, expected] of cases) expect(decision).toMatchObject(expected);
    const channels = [{ name: 'public:shop.a' }, { name: 'public:other.a' }];
    expect(visibleChannels(shop, channels)).toEqual([{ name: 'public:shop.a' }]);
    expect(visibleChannels(management(), channels)).toEqual(channels);
  });

  it('with an access token may manage its channel, until it is revoked', async () => {
    const principal: Principal = { kind: 'access', token: tokenOf({ chs: [NAME] }) };
    expect(call(principal, 'GetChannel', NAME)).toMatchObject({ allowed: true, rule: 'chs' });
    expect(call(principal, 'GetChannel', 'private:shop.order.2')).toMatchObject({
      rule: 'none',
      detail: 'the token does not grant manage on private:shop.order.2',
    });
    expect(call(principal, 'Publish', NAME)).toMatchObject({
      rule: 'token',
      detail: 'an access token does not open this method',
    });
    const authorizer = controlWith({ custom: { ask: () => ({ deny: 'no' }) } });
    expect(call(principal, 'GetChannel', NAME, authorizer)).toMatchObject({ allowed: true });
    revoked.add('ann');
    expect(call(principal, 'GetChannel', NAME)).toMatchObject({ rule: 'revoked', code: 'MSG_AUTH_DENIED' });
  });
});
