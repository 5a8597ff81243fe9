import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { LastMinute } from '#src/nodes/last-minute.ts';
import type { NodeTotals } from '#src/nodes/totals.ts';

const NONE: NodeTotals = {
  publishes: 0,
  publishFailures: 0,
  deliveries: 0,
  bytesIn: 0,
  bytesOut: 0,
  slowConsumers: 0,
  insufficientStates: 0,
  recovered: 0,
  unrecovered: 0,
  serverErrors: 0,
  sinkAttempts: 0,
  sinkFailures: 0,
  reusedRefreshTokens: 0,
  auditFailures: 0,
  trippedJobs: 0,
  apiCommands: 0,
  apiFailures: 0,
};

/** A node that publishes once a second, and what was read of it. */
function watched() {
  const clock = new ManualClock();
  const began = clock.monotonic();
  const state = { reads: 0, watching: false, lag: 0 };
  const minute = new LastMinute({
    clock,
    totals: () => {
      state.reads += 1;
      return { ...NONE, publishes: Math.floor((clock.monotonic() - began) / 1000) };
    },
    named: () => {
      const count = Math.floor((clock.monotonic() - began) / 1000);
      const sinks: [string, [number, number]][] = count < 5 ? [] : [['orders', [count - 5, 1]]];
      return { limits: new Map([['publish', [count * 2, count]]]), sinks: new Map(sinks) };
    },
    figures: {
      watch: on => {
        state.watching = on;
      },
      lag: () => state.lag,
      cpuMs: () => (clock.monotonic() - began) / 4,
    },
  });
  return { clock, state, minute };
}

describe('the last minute of a node', () => {
  it('knows nothing at the first look, and what happened since at the next', async () => {
    const { clock, minute } = watched();
    expect(minute.look()).toMatchObject({ seconds: 0, cpuPercent: 0, counted: { publishes: 0 } });
    await clock.advance(900);
    expect(minute.look()).toMatchObject({ seconds: 0, cpuPercent: 0 });
    await clock.advance(100);
    await clock.advance(9000);
    expect(minute.look()).toMatchObject({ seconds: 10, cpuPercent: 25, counted: { publishes: 10 } });
  });

  it('knows what each bucket and each sink did in it, also one that it had not seen', async () => {
    const { clock, minute } = watched();
    await clock.advance(2000);
    expect(minute.look().named.limits).toEqual(new Map([['publish', [0, 0]]]));
    await clock.advance(10_000);
    const { named } = minute.look();
    expect(named.limits).toEqual(new Map([['publish', [20, 10]]]));
    expect(named.sinks).toEqual(new Map([['orders', [7, 1]]]));
  });

  it('is never longer than a minute while somebody asks', async () => {
    const { clock, minute } = watched();
    for (let second = 0; second < 200; second += 10) {
      minute.look();
      await clock.advance(10_000);
    }
    expect(minute.look()).toMatchObject({ seconds: 60, counted: { publishes: 60 } });
  });

  it('tells the worst lateness of the event loop until that is a minute ago', async () => {
    const { clock, state, minute } = watched();
    minute.look();
    state.lag = 400;
    await clock.advance(2000);
    state.lag = 1;
    await clock.advance(30_000);
    expect(minute.look().lagMs).toBe(400);
    await clock.advance(40_000);
    expect(minute.look().lagMs).toBe(1);
  });

  it('costs nothing when nobody has asked for a minute, and begins again', async () => {
    const { clock, state, minute } = watched();
    expect(state).toEqual({ reads: 0, watching: false, lag: 0 });
    minute.look();
    expect(state.watching).toBe(true);
    await clock.advance(120_000);
    const { reads } = state;
    expect(state.watching).toBe(false);
    await clock.advance(120_000);
    expect(state.reads).toBe(reads);
    expect(minute.look().seconds).toBe(0);
    expect(state.watching).toBe(true);
  });
});
