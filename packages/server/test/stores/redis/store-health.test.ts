import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreHealth } from '#src/stores/redis/store-health.ts';
import type { SubsystemState } from '#src/stores/subsystem-state.ts';
import { settle } from '../../support/settle.ts';

const OK: SubsystemState = { ok: true };
const FULL: SubsystemState = { ok: false, detail: 'refuses writes: OOM' };
const GONE: SubsystemState = { ok: false, detail: 'does not answer' };

/** A store whose checks answer these states, one after the other, the last for ever. */
async function checked(...answers: SubsystemState[]) {
  const clock = new ManualClock();
  const changes: [string, boolean][] = [];
  let checks = 0;
  const health = new StoreHealth({
    clock,
    check: async () => ({ store: answers[Math.min(checks++, answers.length - 1)] ?? OK, delivery: OK }),
    onChange: (subsystem, { ok }) => void changes.push([subsystem, ok]),
  });
  expect(health.states).toEqual({});
  await health.start();
  onTestFinished(() => health.stop());
  const states: SubsystemState[] = [];
  for (const _ of answers) {
    states.push(health.states['store'] ?? OK);
    await clock.advance(1000);
  }
  return { clock, health, changes, states, checks: () => checks };
}

describe('the health of a shared store', () => {
  test('is what the first check finds', async () => {
    expect((await checked(FULL)).states).toEqual([FULL]);
    expect((await checked(OK)).states).toEqual([OK]);
  });

  test('changes when two checks in a row agree, and names the reason', async () => {
    const { states, changes } = await checked(OK, FULL, FULL, FULL, OK, OK, OK);
    expect(states).toEqual([OK, OK, FULL, FULL, FULL, OK, OK]);
    expect(changes).toEqual([
      ['store', false],
      ['store', true],
    ]);
  });

  test('does not change with single checks that differ', async () => {
    const { states, changes } = await checked(OK, FULL, OK, FULL, OK, GONE, OK);
    expect(states.every(({ ok }) => ok)).toBe(true);
    expect(changes).toEqual([]);
    const failing = await checked(FULL, OK, GONE, OK, FULL, OK, FULL);
    expect(failing.states.every(({ ok }) => !ok)).toBe(true);
    expect(failing.changes).toEqual([]);
  });

  test('two different failures in a row agree that it fails, and the last one is the reason', async () => {
    const { states } = await checked(OK, FULL, GONE, GONE, FULL, FULL);
    expect(states).toEqual([OK, OK, GONE, GONE, FULL, FULL]);
  });

  test('is not checked after its end', async () => {
    const { clock, health, checks } = await checked(OK);
    const before = checks();
    await health.stop();
    await clock.advance(10_000);
    await settle();
    expect(checks()).toBe(before);
    expect(clock.pending).toBe(0);
  });
});
