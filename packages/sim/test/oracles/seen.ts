import { judged } from '../../src/oracles/all.ts';
import type { Observations, Published, Seen, SubscribedEvent } from '../../src/oracles/observations.ts';

export const CHANNEL = 'public:sim.c0';
export const SECOND = 1_000_000;

/** Publication n of an epoch, one second after the other. */
export function published(offset: number, epoch = 'e'): Published {
  return { atUs: offset * SECOND, channel: CHANNEL, epoch, offset, text: `text ${offset} of ${epoch}` };
}

export function got(offset: number, text = `text ${offset} of e`, client = 'ann'): Seen {
  return { kind: 'publication', client, channel: CHANNEL, atUs: offset * SECOND + 1000, offset, text };
}

export function subscribed(atS: number, event: Partial<SubscribedEvent> = {}): Seen {
  const base = { client: 'ann', channel: CHANNEL, atUs: atS * SECOND + 500, begunUs: atS * SECOND };
  const fresh = { epoch: 'e', offset: 0, wasRecovering: false, recovered: false };
  return { kind: 'subscribed', ...base, ...fresh, ...event };
}

export const again = { wasRecovering: true, recovered: true };
export const lost = { wasRecovering: true, recovered: false };

/** Ten publications, a window of five for a minute, and what a client saw of them. */
export function seeing(seen: readonly Seen[], change: Partial<Observations> = {}): Observations {
  return {
    published: Array.from({ length: 10 }, (_, i) => published(i + 1)),
    seen,
    retention: { size: 5, ttlMs: 60_000 },
    rests: [],
    endUs: 20 * SECOND,
    ...change,
  };
}

export function found(observations: Observations): string[] {
  const violations = judged(observations);
  return [...new Set(violations.map(({ oracle }) => oracle))];
}

export const all = Array.from({ length: 10 }, (_, i) => got(i + 1));
