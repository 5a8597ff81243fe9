import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { createRpcClient } from '#src/rpc/client.ts';
import { renewing } from '#src/rpc/renewing.ts';

const HOUR_MS = 3_600_000;

/** A service whose management tokens live an hour, and a client with one of them. */
function rig() {
  const clock = new ManualClock();
  let serial = 0;
  const mint = (subject: string): string => {
    const iat = Math.floor(clock.now() / 1000);
    const claims = { sub: subject, iat, exp: iat + 3600, n: ++serial };
    return `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
  };
  const first = mint('shop');
  const issued: { readonly bearer: string; readonly subject: string }[] = [];
  const used: string[] = [];
  let hold: Promise<void> | undefined;
  let refusal: string | undefined;
  const client = createRpcClient({
    server: 'http://localhost:8000',
    token: renewing(first, clock),
    async fetch(url, { headers, body }) {
      const bearer = headers['authorization'] ?? '';
      if (!url.endsWith('/IssueMgmt')) {
        used.push(bearer);
        return { status: 200, text: async () => '{}' };
      }
      const { subject } = JSON.parse(body);
      issued.push({ bearer, subject });
      await hold;
      if (refusal !== undefined) return { status: 401, text: async () => refusal ?? '' };
      return { status: 200, text: async () => JSON.stringify({ mgmt_token: mint(subject) }) };
    },
  });
  const call = () => client.call('ListChannels', {});
  return {
    clock,
    first,
    issued,
    used,
    call,
    hold: (until: Promise<void>) => {
      hold = until;
    },
    refuse: (code: string) => {
      refusal = JSON.stringify({ code: 'unauthenticated', msg: 'no', meta: { code } });
    },
  };
}

describe('a token that is renewed', () => {
  it('is the one given for half of its life, then one of the same subject', async () => {
    const { clock, first, issued, used, call } = rig();
    await call();
    await clock.advance(HOUR_MS / 2);
    await call();
    expect(issued).toEqual([{ bearer: `Bearer ${first}`, subject: 'shop' }]);
    await clock.advance(1000);
    await call();
    expect(used.slice(0, 2)).toEqual([`Bearer ${first}`, `Bearer ${first}`]);
    expect(used[2]).not.toBe(`Bearer ${first}`);
    expect(issued).toHaveLength(1);
  });

  it('is asked for once at a time, and the old one goes on meanwhile', async () => {
    const { clock, first, issued, used, call, hold } = rig();
    const arrived = Promise.withResolvers<void>();
    hold(arrived.promise);
    await clock.advance(HOUR_MS / 2);
    await Promise.all([call(), call(), call()]);
    expect([issued.length, new Set(used)]).toEqual([1, new Set([`Bearer ${first}`])]);
    arrived.resolve();
    await clock.advance(1000);
    await call();
    expect(used.at(-1)).not.toBe(`Bearer ${first}`);
  });

  it('is waited for when the old one is over; a refusal is that of the call', async () => {
    const { clock, first, used, call, refuse } = rig();
    await clock.advance(2 * HOUR_MS);
    await call();
    expect(used[0]).not.toBe(`Bearer ${first}`);
    refuse('MSG_AUTH_EXPIRED');
    await clock.advance(HOUR_MS / 2);
    await call();
    await clock.advance(HOUR_MS);
    await expect(call()).rejects.toMatchObject({ code: 'MSG_AUTH_EXPIRED' });
  });
});
