import { describe, expect, it } from 'vitest';
import { playInProcess } from '../../src/cli/run-process.ts';
import { expectFelt, sumOf } from '../felt.ts';

const BACKENDS = {
  store: 'standalone',
  sessions: true,
  signingKeys: true,
  idleChannels: true,
  clients: 3,
  nodes: 2,
};

describe('quiet hours', () => {
  it('break no promise while sessions, keys and channels end and are renewed', { timeout: 240_000 }, () => {
    const plan = { switches: BACKENDS, hours: 4 };
    const runs = playInProcess({ world: 'quiet', seeds: [1], guard: true, plan });
    expectFelt(runs, ['deliveries', 'faults', 'redemptions', 'keys', 'keys retired', 'channels ended']);
    expect(sumOf(runs, 'published')).toBeLessThan(1000);
  });

  it('have nights, in which most clients are gone', { timeout: 240_000 }, () => {
    const switches = {
      nights: true,
      store: 'standalone',
      clients: 6,
      nodes: 2,
      channels: 1,
      recovery: 'stream',
    };
    const plan = { switches: { ...switches, churn: false, stormMs: 3_600_000 }, hours: 1, steps: [] };
    const [run] = playInProcess({ world: 'quiet', seeds: [3], guard: true, plan, timeline: true });
    expect([run?.fault, run?.violations]).toEqual([undefined, []]);
    const back = run?.timeline?.filter(({ kind }) => kind === 'recovered' || kind === 'unrecovered') ?? [];
    expect(new Set(back.map(({ lane }) => lane)).size).toBeGreaterThan(2);
  });
});
