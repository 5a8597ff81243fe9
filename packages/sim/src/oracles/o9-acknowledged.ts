import type { Observations, Oracle, Published, Violation } from './observations.ts';

export const acknowledged: Oracle = {
  id: 'O9',
  promise: 'an acknowledged publication has a position that no other has, directly after the one before',
  judge(observations) {
    const { published, answers = [], retention } = observations;
    if (retention.size === 0) return []; // no positions
    const violations: Violation[] = [];
    const tops = new Map<string, number>();
    for (const publication of published) {
      const { channel, epoch, offset, atUs, line = 0 } = publication;
      const stream = `${channel} ${epoch}`;
      const key = `${stream} ${line}`;
      const top = tops.get(key) ?? topBefore(observations, publication);
      if (offset !== top + 1)
        violations.push({ oracle: 'O9', atUs, text: `${offset} was acknowledged after ${top} in ${stream}` });
      tops.set(key, offset);
    }
    const written = new Set(published.map(each => `${positionOf(each)}: ${each.text}`));
    for (const answer of answers) {
      if (written.has(`${positionOf(answer)}: ${answer.text}`)) continue;
      const text = `${positionOf(answer)} was acknowledged and holds something else`;
      violations.push({ oracle: 'O9', atUs: answer.atUs, text });
    }
    return violations;
  },
};

/** The newest offset that a stream had when its master, or its epoch, began. */
function topBefore({ published, forks = [], renewals = [] }: Observations, first: Published): number {
  const { channel, epoch, line = 0 } = first;
  const fromUs = forks[line - 1]?.atUs ?? Number.NEGATIVE_INFINITY;
  const inherited = published.findLast(
    each =>
      each.channel === channel &&
      each.epoch === epoch &&
      (each.line ?? 0) < line &&
      each.atUs <= fromUs &&
      (each.lostUs ?? Number.POSITIVE_INFINITY) > fromUs,
  );
  const renewed = renewals.find(each => each.channel === channel && each.epoch === epoch);
  return inherited?.offset ?? renewed?.offset ?? 0;
}

function positionOf({ channel, epoch, offset }: Published): string {
  return `${offset} of ${channel} ${epoch}`;
}
