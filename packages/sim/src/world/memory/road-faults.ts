import type { Kernel } from '../../kernel/kernel.ts';
import { drawnMs, type Fault } from '../faults.ts';
import { CLEAR_ROAD, type Road } from './remote-broker.ts';

/** What happens between a store and its node. */
export function roadFaults(kernel: Kernel, road: Road, restored: () => void): readonly Fault[] {
  const actor = kernel.actor('faults');
  const draw = actor.stream('road');
  const forAWhile = (change: Partial<Road>, mostMs: number, then: () => void = () => {}): void => {
    Object.assign(road, change);
    kernel.at(kernel.nowUs / 1000 + drawnMs(kernel, 50, mostMs), actor, 'clear road', () => {
      Object.assign(road, CLEAR_ROAD);
      then();
    });
  };
  return [
    {
      name: 'loss between store and node',
      weight: 2,
      happen: () => forAWhile({ lossPercent: draw.pick([10, 50, 100]) }, 30_000),
    },
    {
      name: 'outage between store and node',
      weight: 2,
      happen: () => forAWhile({ lossPercent: 100 }, 5000, restored),
    },
    {
      name: 'messages of the store twice',
      weight: 1,
      happen: () => forAWhile({ repeats: true }, 10_000),
    },
    {
      name: 'late messages of the store',
      weight: 2,
      happen: () => forAWhile({ lateMs: draw.between(50, 400) }, 20_000, restored),
    },
  ];
}

/** Loses what is written shortly before a moment: in a channel that falls silent then, only a check finds it. */
export function loseAround(kernel: Kernel, road: Road, atMs: number): void {
  const actor = kernel.actor('faults');
  kernel.at(
    atMs - 2000,
    actor,
    'loss before the silence',
    () => void Object.assign(road, { lossPercent: 100 }),
  );
  kernel.at(atMs + 500, actor, 'clear road', () => void Object.assign(road, CLEAR_ROAD));
}
