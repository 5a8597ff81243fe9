import type { Kernel } from '../../kernel/kernel.ts';
import type { Fault } from '../faults.ts';
import type { Road } from './remote-broker.ts';

/** What happens between a store and its node. `clear` is what the road is like otherwise. */
export function roadFaults(
  kernel: Kernel,
  road: Road,
  clear: () => Road,
  restored: () => void,
): readonly Fault[] {
  const actor = kernel.actor('faults');
  const forAWhile = (change: Partial<Road>, forMs: number, then: () => void = () => {}): void => {
    Object.assign(road, change);
    kernel.at(kernel.nowUs / 1000 + forMs, actor, 'clear road', () => {
      Object.assign(road, clear());
      then();
    });
  };
  return [
    {
      name: 'loss between store and node',
      weight: 2,
      happen: draw => forAWhile({ lossPercent: draw.pick([10, 50, 100]) }, draw.between(50, 30_000)),
    },
    {
      name: 'outage between store and node',
      weight: 2,
      happen: draw => forAWhile({ lossPercent: 100 }, draw.between(50, 5000), restored),
    },
    {
      name: 'messages of the store twice',
      weight: 1,
      happen: draw => forAWhile({ repeats: true }, draw.between(50, 10_000)),
    },
    {
      name: 'late messages of the store',
      weight: 2,
      happen: draw => {
        const forMs = draw.between(50, 20_000);
        forAWhile({ lateMs: draw.between(50, 1000) }, forMs, restored);
        // A check of positions begins while messages are on their way.
        kernel.at(kernel.nowUs / 1000 + forMs / 2, actor, 'restored', restored);
      },
    },
  ];
}

/**
 * Loses everything between two moments. `then` is called at the end.
 */
export function loseBetween(
  kernel: Kernel,
  road: Road,
  [fromMs, toMs]: readonly [number, number],
  then: (road: Road) => void,
): void {
  const actor = kernel.actor('faults');
  kernel.at(fromMs, actor, 'loss before the silence', () => void Object.assign(road, { lossPercent: 100 }));
  kernel.at(toMs, actor, 'clear road', () => then(road));
}
