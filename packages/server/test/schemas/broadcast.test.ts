import type { SchemaChange } from '@msg/core';
import { describe, expect, test } from 'vitest';
import { SchemaBroadcast } from '#src/schemas/broadcast.ts';
import { settle } from '../support/settle.ts';

/** A broadcast whose publishes wait until they are let go. */
function harness(open: () => Promise<void> = async () => {}) {
  const listeners = new Set<(change: SchemaChange) => void>();
  const published: string[] = [];
  const opened: [string, number][] = [];
  const warnings: object[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const log = () => {};
  const broadcast = new SchemaBroadcast({
    registry: {
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    async open(channel, ttlMs) {
      opened.push([channel, ttlMs]);
      await open();
    },
    async publish(channel, data) {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      published.push(`${channel} ${Buffer.from(data)}`);
    },
    logger: { info: log, error: log, warn: fields => warnings.push(fields) },
  });
  const tell = (pattern: string): void => {
    for (const listener of listeners) listener({ kind: 'deregistered', pattern, at: 'now' });
  };
  return { broadcast, tell, published, opened, warnings, gates, listeners };
}

describe('the broadcast of schema changes', () => {
  test('opens its channel exactly once, for ten years, and gives a failure to its caller', async () => {
    const good = harness();
    await good.broadcast.start();
    expect(good.opened).toEqual([['public:msg.registry.schemas', 10 * 365 * 24 * 3_600_000]]);
    const bad = harness(() => Promise.reject(new Error('closed')));
    await expect(bad.broadcast.start()).rejects.toThrow('closed');
    expect(bad.listeners.size).toBe(0);
  });

  test('publishes one after the other, in order; a failure is logged and left out', async () => {
    const { broadcast, tell, published, warnings, gates } = harness();
    await broadcast.start();
    for (const pattern of ['a', 'b', 'c']) tell(pattern);
    await settle();
    expect(gates).toHaveLength(1);
    gates[0]?.resolve();
    await settle();
    gates[1]?.reject(new Error('no'));
    await settle();
    gates[2]?.resolve();
    await settle();
    expect(published).toEqual(
      ['a', 'c'].map(
        pattern => `public:msg.registry.schemas {"kind":"deregistered","pattern":"${pattern}","at":"now"}`,
      ),
    );
    expect(warnings).toMatchObject([{ pattern: 'b', kind: 'deregistered' }]);
  });

  test('more than 64 that wait are dropped and logged; a mutation never waits', async () => {
    const { broadcast, tell, warnings, gates } = harness();
    await broadcast.start();
    for (let n = 0; n < 70; n++) tell(`p${n}`);
    expect(warnings.length).toBeGreaterThanOrEqual(5);
    expect(warnings.length).toBeLessThanOrEqual(6);
    for (let n = 0; n < 70; n++) {
      gates[n]?.resolve();
      await settle();
    }
  });

  test('stop publishes what waits and detaches', async () => {
    const { broadcast, tell, published, gates, listeners } = harness();
    await broadcast.start();
    tell('a');
    tell('b');
    const stopping = broadcast.stop();
    expect(listeners.size).toBe(0);
    await settle();
    gates[0]?.resolve();
    await settle();
    gates[1]?.resolve();
    await stopping;
    expect(published).toHaveLength(2);
  });
});
