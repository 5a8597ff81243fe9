import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, test } from 'vitest';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { PairIssuer } from '#src/auth/tokens/issuer.ts';
import { TokenSigner } from '#src/auth/tokens/signer.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function issuerOf(accessTtlMs: number, maxRefreshTtlMs = HOUR) {
  const clock = new ManualClock();
  const keyring = await Keyring.open({ clock, random: systemRandom });
  const issuer = new PairIssuer({
    signer: new TokenSigner(keyring, systemRandom),
    clock,
    accessTtlMs,
    maxRefreshTtlMs,
  });
  const now = clock.now() / 1000;
  return { issuer, now };
}

const grant = (channelTtlMs: number) => ({ channel: 'private:a.b.1', subject: '', scopes: [], channelTtlMs });

// access TTL, channel TTL, maximum refresh TTL → lifetimes in seconds (messaging details 6.3)
test.each([
  [5 * MINUTE, 15 * MINUTE, HOUR, 300, 900],
  [5 * MINUTE, 2 * MINUTE, HOUR, 120, 120],
  [5 * MINUTE, 30_000, HOUR, 60, 30],
  [HOUR, HOUR, HOUR, 3600, 3600],
  [HOUR, HOUR, 10 * MINUTE, 600, 600],
  [MINUTE, HOUR, 5 * HOUR, 60, 3600],
])(
  'access %d, channel %d, maximum %d: lives %d and %d s',
  async (access, channel, most, accessSeconds, refreshSeconds) => {
    const { issuer, now } = await issuerOf(access, most);
    const pair = issuer.first(grant(channel));
    expect([pair.accessExpiresUnix - now, pair.refreshExpiresUnix - now]).toEqual([
      accessSeconds,
      refreshSeconds,
    ]);
  },
);

test('on refresh the access token is capped by the presented one, without floor', async () => {
  const { issuer, now } = await issuerOf(5 * MINUTE);
  const pair = issuer.next(grant(HOUR), 'family', now + 7);
  expect([pair.accessExpiresUnix - now, pair.refreshExpiresUnix - now]).toEqual([7, 3600]);
});

test.each([MINUTE - 1, HOUR + 1, 0])('an access TTL of %d ms fails the issuance', async ttl => {
  const { issuer } = await issuerOf(ttl);
  expect(() => issuer.first(grant(HOUR))).toThrow(expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }));
});

test('an id is never taken for a flag of the command that gets it', async () => {
  const keyring = await Keyring.open({ clock: new ManualClock(), random: systemRandom });
  const draws = [0xf8, 0xfb, 0x00];
  const random = {
    ...systemRandom,
    bytes: (count: number) => new Uint8Array(count).fill(draws.shift() ?? 0),
  };
  expect(new TokenSigner(keyring, random).newId()).toBe('A'.repeat(22));
  expect(draws).toEqual([]);
});
