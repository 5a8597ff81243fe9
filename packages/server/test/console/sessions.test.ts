import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it, test } from 'vitest';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { MemoryConsoleSessions } from '#src/console/sessions/memory.ts';
import { Sessions, type SessionsOptions } from '#src/console/sessions.ts';
import { CONSOLE_SESSION_CONTRACT } from '#src/testing/index.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describe('console sessions in memory', () => {
  test.each(CONSOLE_SESSION_CONTRACT.map(({ name, holds }) => [name, holds] as const))(
    '%s',
    async (_, holds) => {
      const clock = new ManualClock();
      const store = new MemoryConsoleSessions(clock);
      await holds({ here: store, there: store, now: () => clock.now() });
    },
  );
});

function tokenOf(
  clock: ManualClock,
  subject = 'ada',
  ttlMs = 24 * HOUR_MS,
  role = 'admin' as const,
): VerifiedToken {
  const iat = Math.floor(clock.now() / 1000);
  const claims = { sub: subject, typ: 'mgmt', iat, exp: iat + ttlMs / 1000, jti: 'j-1', role } as const;
  return new VerifiedToken(claims, 'k-1', 'f-1');
}

function rig(options: Partial<SessionsOptions> = {}) {
  const clock = new ManualClock();
  const state = { isKeyLive: true, isRevoked: false };
  const sessions = new Sessions({
    store: new MemoryConsoleSessions(clock),
    clock,
    random: systemRandom,
    ttlMs: 8 * HOUR_MS,
    idleMs: 30 * MINUTE_MS,
    maxRole: 'admin',
    isKeyLive: () => state.isKeyLive,
    isRevoked: () => state.isRevoked,
    ...options,
  });
  return { clock, state, sessions };
}

/** Why a text has no session. */
const endOf = (sessions: Sessions, text: string | undefined): Promise<string> =>
  sessions.find(text).then(
    () => 'live',
    (error: { readonly code?: string; readonly reason?: string }) => `${error.code} ${error.reason}`,
  );

describe('a session of the console', () => {
  it('has 256 bits, another text each time, and begins locked', async () => {
    const { sessions, clock } = rig();
    const one = await sessions.begin(tokenOf(clock), false);
    const other = await sessions.begin(tokenOf(clock), true);
    expect(one.text).toMatch(/^[\w-]{43}$/);
    expect(one.text).not.toBe(other.text);
    expect(sessions.isLocked(await sessions.find(one.text))).toBe(true);
    expect(sessions.isLocked(await sessions.find(other.text))).toBe(false);
  });

  it.each([undefined, '', 'x', 'A'.repeat(43), 'A'.repeat(8192), '\u0000'.repeat(43)])(
    'is not found by the text %j',
    async text => {
      expect(await endOf(rig().sessions, text)).toBe('MSG_AUTH_EXPIRED session');
    },
  );

  it('ends when it was not used, and each call begins that time anew', async () => {
    const { sessions, clock } = rig();
    const { text } = await sessions.begin(tokenOf(clock), false);
    for (let call = 0; call < 5; call++) {
      await clock.advance(29 * MINUTE_MS);
      expect(await endOf(sessions, text)).toBe('live');
    }
    await clock.advance(30 * MINUTE_MS + 1);
    expect(await endOf(sessions, text)).toBe('MSG_AUTH_EXPIRED idle');
    // And stays so, although this was a call.
    expect(await endOf(sessions, text)).toBe('MSG_AUTH_EXPIRED idle');
  });

  it('ends with its time however much it is used, and with its token before', async () => {
    const { sessions, clock } = rig({ ttlMs: HOUR_MS });
    const long = await sessions.begin(tokenOf(clock), false);
    const short = await sessions.begin(tokenOf(clock, 'ada', 20 * MINUTE_MS), false);
    await clock.advance(20 * MINUTE_MS + 1000);
    expect(await endOf(sessions, short.text)).toBe('MSG_AUTH_EXPIRED expired');
    expect(await endOf(sessions, long.text)).toBe('live');
    for (const minutes of [15, 15]) {
      await clock.advance(minutes * MINUTE_MS);
      await endOf(sessions, long.text);
    }
    await clock.advance(10 * MINUTE_MS);
    expect(await endOf(sessions, long.text)).toBe('MSG_AUTH_EXPIRED expired');
  });

  it('ends with the key and with the revocation of its token', async () => {
    const { sessions, clock, state } = rig();
    const one = await sessions.begin(tokenOf(clock), false);
    const other = await sessions.begin(tokenOf(clock), false);
    state.isKeyLive = false;
    expect(await endOf(sessions, one.text)).toBe('MSG_AUTH_EXPIRED key');
    state.isKeyLive = true;
    expect(await endOf(sessions, one.text)).toBe('MSG_AUTH_EXPIRED key');
    state.isRevoked = true;
    expect(await endOf(sessions, other.text)).toBe('MSG_AUTH_EXPIRED revoked');
  });

  it('is unlocked for 15 minutes', async () => {
    const { sessions, clock } = rig();
    const { text, session } = await sessions.begin(tokenOf(clock), false);
    await sessions.unlock(session);
    await clock.advance(15 * MINUTE_MS - 1);
    expect(sessions.isLocked(await sessions.find(text))).toBe(false);
    await clock.advance(1);
    expect(sessions.isLocked(await sessions.find(text))).toBe(true);
  });

  it('is never more than the highest role, and none for a bearer without a role', async () => {
    const { sessions, clock } = rig({ maxRole: 'viewer' });
    const { text } = await sessions.begin(tokenOf(clock), false);
    expect((await sessions.find(text)).token.role).toBe('viewer');
    const { claims } = tokenOf(clock);
    await expect(sessions.begin(new VerifiedToken(claims, '', '', 'none'), false)).rejects.toMatchObject({
      code: 'MSG_AUTH_DENIED',
      reason: 'role',
    });
  });

  it('is one of 20 of a subject: the oldest ends', async () => {
    const { sessions, clock } = rig();
    const texts: string[] = [];
    for (let count = 0; count < 21; count++) {
      texts.push((await sessions.begin(tokenOf(clock), false)).text);
      await clock.advance(1);
    }
    expect(await endOf(sessions, texts[0])).toBe('MSG_AUTH_EXPIRED signed-out');
    expect(await endOf(sessions, texts[1])).toBe('live');
  });

  it('is one of 1,000 in all', async () => {
    const { sessions, clock } = rig();
    for (let count = 0; count < 1000; count++) await sessions.begin(tokenOf(clock, `u-${count}`), false);
    await expect(sessions.begin(tokenOf(clock, 'late'), false)).rejects.toMatchObject({
      code: 'MSG_BROKER_NOT_READY',
    });
  });

  it('is not lost while the store is away', async () => {
    const store = new MemoryConsoleSessions(new ManualClock());
    const broken = Object.assign(Object.create(store), { get: () => Promise.reject(new Error('gone')) });
    const { sessions } = rig({ store: broken });
    expect(await endOf(sessions, 'A'.repeat(43))).toBe('MSG_BROKER_NOT_READY undefined');
  });
});

describe('a session that is asked about', () => {
  it('is live until its end, of which others are told once; asking does not keep it', async () => {
    const ended: string[] = [];
    const { sessions, clock } = rig({ onEnded: id => void ended.push(id) });
    const [one, idle] = [
      await sessions.begin(tokenOf(clock), false),
      await sessions.begin(tokenOf(clock), false),
    ];
    expect(await sessions.isLive(one.session.id)).toBe(true);
    await sessions.end(one.session);
    expect([await sessions.isLive(one.session.id), ended]).toEqual([false, [one.session.id]]);
    await clock.advance(20 * MINUTE_MS);
    expect(await sessions.isLive(idle.session.id)).toBe(true);
    await clock.advance(11 * MINUTE_MS);
    expect(await sessions.isLive(idle.session.id)).toBe(false);
    expect(await sessions.isLive('unknown')).toBe(false);
  });
});
