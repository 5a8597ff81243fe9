import type { Oracle, Published, Violation } from './observations.ts';

export const acknowledged: Oracle = {
  id: 'O9',
  promise: 'an acknowledged publication has a position that no other has, directly after the one before',
  judge({ published, answers = [], retention }) {
    if (retention.size === 0) return []; // no positions
    const violations: Violation[] = [];
    const tops = new Map<string, number>();
    for (const { channel, epoch, offset, atUs } of published) {
      const stream = `${channel} ${epoch}`;
      const top = tops.get(stream) ?? 0;
      if (offset !== top + 1)
        violations.push({ oracle: 'O9', atUs, text: `${offset} was acknowledged after ${top} in ${stream}` });
      tops.set(stream, offset);
    }
    const written = new Map(published.map(each => [positionOf(each), each.text]));
    for (const answer of answers) {
      if (written.get(positionOf(answer)) === answer.text) continue;
      const text = `${positionOf(answer)} was acknowledged and holds something else`;
      violations.push({ oracle: 'O9', atUs: answer.atUs, text });
    }
    return violations;
  },
};

function positionOf({ channel, epoch, offset }: Published): string {
  return `${offset} of ${channel} ${epoch}`;
}
