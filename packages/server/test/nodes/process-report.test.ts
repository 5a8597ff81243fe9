import { expect, it } from 'vitest';
import type { Hint } from '#src/nodes/hints.ts';
import type { NodeReport } from '#src/nodes/local.ts';
import { reportsOfProcesses } from '#src/nodes/process-report.ts';
import type { NodeRow } from '#src/nodes/row.ts';

const RATES = { seconds: 60, publishes: 1, deliveries: 2, bytes_in: 3, bytes_out: 4 };

function report(id: string, row: Partial<NodeRow>, hints: readonly Partial<Hint>[] = []): NodeReport {
  const facts = { id, connections: 0, channels: 0, loop_lag_p99_ms: 0, limits: [], rates: RATES, ...row };
  return { row: facts as NodeRow, hints: hints.map(hint => ({ node: id, ...hint }) as Hint) }; // what is read of them
}

it('a process with threads is one node, with what its threads have', () => {
  const limits = (allowed: number, denied: number) => [{ bucket: 'publish', allowed, denied }];
  const [p, q] = reportsOfProcesses([
    report('p/2.1', { connections: 3, channels: 4, loop_lag_p99_ms: 9, limits: limits(1, 2), rss_bytes: 7 }, [
      { name: 'MsgEventLoopBusy', value: 3, since: 50 },
    ]),
    report('p', { connections: 0, channels: 0, loop_lag_p99_ms: 1, rss_bytes: 8, ready: false }),
    report(
      'p/1.3',
      { connections: 5, channels: 6, loop_lag_p99_ms: 2, limits: limits(10, 20), rss_bytes: 7 },
      [{ name: 'MsgEventLoopBusy', value: 5, since: 70 }],
    ),
    report('q', { connections: 1, channels: 1 }, [{ name: 'NoAuth', value: 1, since: 1 }]),
  ]);
  expect(p?.row).toMatchObject({
    id: 'p',
    connections: 8,
    channels: 6,
    loop_lag_p99_ms: 9,
    limits: limits(11, 22),
    rates: { seconds: 60, publishes: 3, deliveries: 6, bytes_in: 9, bytes_out: 12 },
    // Of the process, as main tells it.
    rss_bytes: 8,
    ready: false,
  });
  expect(p?.hints).toEqual([{ name: 'MsgEventLoopBusy', value: 5, since: 50, node: 'p' }]);
  expect(q?.row).toMatchObject({ id: 'q', connections: 1, channels: 1 });
  expect(q?.hints).toEqual([{ name: 'NoAuth', value: 1, since: 1, node: 'q' }]);
});
