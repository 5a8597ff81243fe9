import { describe, expect, it } from 'vitest';
import { playInProcess } from '../../src/cli/run-process.ts';
import { expectFelt, sumOf } from '../felt.ts';

describe('a storm', () => {
  it('breaks no promise, and its faults are felt', { timeout: 240_000 }, () => {
    const runs = playInProcess({ world: 'storm', seeds: [46, 51, 64], guard: true });
    expectFelt(runs, [
      'deliveries',
      'recovered',
      'unrecovered',
      'starts',
      'lost',
      'wiped',
      'promoted',
      'ended',
    ]);
    expect(sumOf(runs, 'faults')).toBeGreaterThan(100);
  });

  it('sends every client back at once', { timeout: 240_000 }, () => {
    const steps = [{ atMs: 30_000, name: 'cut of every client', draw: 0 }];
    const [run] = playInProcess({
      world: 'storm',
      seeds: [1],
      guard: true,
      plan: {
        endMs: 40_000,
        steps,
        switches: { clients: 8, recovery: 'stream', churn: false, historySize: 100 },
      },
      timeline: true,
    });
    expect([run?.fault, run?.violations]).toEqual([undefined, []]);
    const back = run?.timeline?.filter(({ atUs, kind }) => kind === 'recovered' && atUs > 30_000_000) ?? [];
    expect(new Set(back.map(({ lane }) => lane)).size).toBe(8);
  });

  it('comes again after each calm in a run of several rounds', { timeout: 240_000 }, () => {
    const switches = { silentPercent: 40, clients: 8, stormMs: 60_000, presence: true, payloads: 'small' };
    const plan = { switches, hours: 0.175 };
    const [run] = playInProcess({ world: 'storm', seeds: [29], guard: true, plan });
    expect([run?.fault, run?.violations]).toEqual([undefined, []]);
    expect(run?.virtualMs).toBeCloseTo(630_000, -4);
    expect(run?.counts['looks']).toBeGreaterThan(16);
    const rounds = new Set(run?.plan.steps.map(({ atMs }) => Math.floor(atMs / 210_000)));
    expect(rounds).toEqual(new Set([0, 1, 2]));
  });
});
