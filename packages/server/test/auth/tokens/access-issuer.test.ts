import { ManualClock } from '@msg/foundation/clock/testing';
import type { IssueAccessRequest, Msg, MsgOptions } from '@msg/server';
import { describe, expect, test } from 'vitest';
import { Msg as Service } from '#src/msg.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ROOMS = { pattern: 'private:shop.room.*', verbs: ['subscribe', 'publish'] };

async function service(options: MsgOptions = {}) {
  const clock = new ManualClock();
  const msg: Msg = await Service.create({ clock, ...options });
  const issue = (request: Partial<IssueAccessRequest> = {}) =>
    msg.tokens.issueAccess({ subject: 'u-9', scopes: [ROOMS], ...request });
  const seconds = () => Math.floor(clock.now() / 1000);
  return { clock, msg, issue, seconds };
}

describe('tokens by scopes', () => {
  test('they have a subject and scopes, no channel, and a family with an end', async () => {
    const { msg, issue, seconds } = await service();
    const pair = await issue();
    expect(pair.name).toBe('');
    const scopes = [{ pat: ROOMS.pattern, v: ROOMS.verbs }];
    const common = { sub: 'u-9', iat: seconds(), scopes, jti: expect.any(String) };
    expect(msg.tokens.verify('access', pair.access_token)).toEqual({
      ...common,
      typ: 'access',
      exp: pair.access_expires_unix,
    });
    expect(msg.tokens.verify('refresh', pair.refresh_token)).toEqual({
      ...common,
      typ: 'refresh',
      exp: pair.refresh_expires_unix,
      fid: expect.any(String),
      fex: seconds() + DAY / 1000,
    });
  });

  // requested access TTL, session → lifetimes in seconds
  test.each<[string, Partial<IssueAccessRequest>, number, number]>([
    ['as configured', {}, 300, 3600],
    ['below a minute', { ttlMs: 1 }, 60, 3600],
    ['above an hour', { ttlMs: 5 * HOUR }, 3600, 3600],
    ['a short session', { sessionTtlMs: 2 * MINUTE }, 120, 120],
    ['the longest session', { sessionTtlMs: 30 * DAY }, 300, 3600],
    ['no refresh token', { refresh: false, ttlMs: 20 * MINUTE }, 1200, 0],
  ])('%s', async (_case, request, access, refresh) => {
    const { issue, seconds } = await service();
    const pair = await issue(request);
    expect(pair.access_expires_unix - seconds()).toBe(access);
    if (refresh > 0) expect(pair.refresh_expires_unix - seconds()).toBe(refresh);
    else expect([pair.refresh_token, pair.refresh_expires_unix]).toEqual(['', 0]);
  });

  test('a session ends however often it is refreshed, and no channel has to be open', async () => {
    const { clock, msg, issue, seconds } = await service();
    const end = seconds() + (2 * HOUR) / 1000;
    let { refresh_token } = await issue({ sessionTtlMs: 2 * HOUR });
    for (let left = 2 * HOUR; left > 0; left -= 30 * MINUTE) {
      const next = await msg.tokens.refresh(refresh_token);
      expect(next.rotated).toBe(true);
      expect(next.refresh_expires_unix).toBe(Math.min(seconds() + 3600, end));
      expect(next.access_expires_unix).toBeLessThanOrEqual(end);
      expect(msg.tokens.verify('access', next.access_token).scopes).toEqual([
        { pat: ROOMS.pattern, v: ROOMS.verbs },
      ]);
      refresh_token = next.refresh_token;
      clock.jump(30 * MINUTE);
    }
    clock.jump(1000);
    await expect(msg.tokens.refresh(refresh_token)).rejects.toMatchObject({ code: 'MSG_AUTH_EXPIRED' });
  });

  test('a refresh token works once; a second use ends the family', async () => {
    const { msg, issue } = await service();
    const { refresh_token } = await issue();
    const next = await msg.tokens.refresh(refresh_token);
    for (const token of [refresh_token, next.refresh_token])
      await expect(msg.tokens.refresh(token)).rejects.toMatchObject({ code: 'MSG_AUTH_DENIED' });
  });

  test('a revoked user gets no further tokens', async () => {
    const { clock, msg, issue } = await service({ revocationStore: 'auto' });
    clock.jump(2000);
    const { refresh_token } = await issue();
    clock.jump(1000);
    const revoked = msg.tokens.revokeUser('u-9');
    await clock.advance(1000);
    await revoked;
    await expect(msg.tokens.refresh(refresh_token)).rejects.toMatchObject({ code: 'MSG_AUTH_DENIED' });
  });

  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ pattern: `private:shop.room.n${n}`, verbs: ['subscribe'] }));
  const wide = Array.from({ length: 64 }, (_, n) => ({
    pattern: `private:shop.${'x'.repeat(150)}.n${n}`,
    verbs: ['subscribe'],
  }));

  test.each<[string, Partial<IssueAccessRequest>, RegExp]>([
    ['no subject', { subject: '' }, /^subject must be 1 to 255 bytes; got 0$/],
    ['a subject of 256 bytes', { subject: 'é'.repeat(128) }, /got 256$/],
    ['no scope', { scopes: [] }, /^scopes must have 1 to 64 entries; got 0$/],
    ['65 scopes', { scopes: many(65) }, /got 65$/],
    ['a bad pattern', { scopes: [{ pattern: 'room', verbs: ['subscribe'] }] }, /pattern "room" is invalid/],
    ['no verb', { scopes: [{ ...ROOMS, verbs: [] }] }, /at least one verb/],
    ['an unknown verb', { scopes: [{ ...ROOMS, verbs: ['read'] }] }, /verb "read" is not known/],
    ['manage', { scopes: [{ ...ROOMS, verbs: ['manage'] }] }, /manage needs allow_manage/],
    ['a negative lifetime', { ttlMs: -1000 }, /^ttl_seconds must be 0 or more; got -1$/],
    ['a session under a minute', { sessionTtlMs: 59_000 }, /from 60 to 2592000 .*; got 59$/],
    ['a session over the maximum', { sessionTtlMs: 30 * DAY + 1000 }, /got 2592001$/],
    ['tokens over 8 KiB', { scopes: wide }, /at most 8192 bytes; got \d+: ask for fewer or wider scopes$/],
  ])('%s is refused', async (_case, request, message) => {
    const { issue } = await service();
    const refused = { code: 'MSG_INVALID_ARGUMENT', message: expect.stringMatching(message) };
    await expect(issue(request)).rejects.toMatchObject(refused);
  });

  test('manage is issued when it is asked for, and may always be denied', async () => {
    const { msg, issue } = await service();
    const manage = { ...ROOMS, verbs: ['manage'] };
    const pair = await issue({ scopes: [manage], allowManage: true });
    expect(msg.tokens.verify('access', pair.access_token).scopes?.[0]?.v).toEqual(['manage']);
    await issue({ scopes: [ROOMS, { ...manage, deny: true }] });
  });

  test('the longest session is an option', async () => {
    const { msg, issue, seconds } = await service({ maxSessionTtlMs: HOUR });
    const { fex } = msg.tokens.verify('refresh', (await issue()).refresh_token);
    expect(fex).toBe(seconds() + 3600);
    await expect(issue({ sessionTtlMs: 2 * HOUR })).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
  });
});
