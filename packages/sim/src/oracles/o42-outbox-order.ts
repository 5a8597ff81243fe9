import type { CommittedRow, Oracle, Violation } from './observations.ts';
import { streamedRows } from './rows.ts';

export const outboxOrder: Oracle = {
  id: 'O42',
  promise: 'in each stream a row that was written and committed before another one stands before it',
  judge(observations) {
    const { outbox } = observations;
    if (outbox === undefined) return [];
    const committed = new Map(outbox.committed.map(row => [row.id, row]));
    const violations: Violation[] = [];
    const streams = new Map<string, CommittedRow[]>();
    for (const { row, channel, epoch, atUs } of streamedRows(observations)) {
      const written = committed.get(row);
      if (written === undefined) continue; // O41 tells
      const key = `${epoch} of ${channel}`;
      const before = streams.get(key) ?? [];
      streams.set(key, before);
      const overtook = before.find(({ id, commit }) => id > written.id && commit >= written.commit);
      if (overtook !== undefined)
        violations.push({ oracle: 'O42', atUs, text: `row ${row} stands after ${overtook.id} in ${key}` });
      before.push(written);
    }
    return violations;
  },
};
