import type { Stream } from '../../kernel/stream.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import type { Round } from '../../plan/timetable.ts';
import type { StockClient } from '../stock-client.ts';

/** A part of a storm in which nothing is published and most clients are gone. */
export interface Night {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Of 100 clients so many are gone in a night. */
const GONE_PERCENT = 70;

/** One night in the storm of each round. */
export function nightsOf(draw: Stream, rounds: readonly Round[]): readonly Night[] {
  return rounds.map(({ fromMs, calmFromMs }) => {
    const moment = (least: number, most: number): number =>
      fromMs + ((calmFromMs - fromMs) * draw.between(least, most)) / 100;
    return { fromMs: moment(10, 50), untilMs: moment(60, 95) };
  });
}

/** Lets clients leave in the evening, each when it likes, and come back in the morning. */
export function sendHome(
  kernel: WorldKernel,
  clients: readonly { readonly client: StockClient }[],
  nights: readonly Night[],
): void {
  for (const [i, { client }] of clients.entries()) {
    const actor = kernel.actor(`client ${i}`);
    const draw = kernel.stream(`nights of client ${i}`);
    for (const { fromMs, untilMs } of nights) {
      const quarter = (untilMs - fromMs) / 4;
      const [leavesMs, comesMs] = [fromMs + quarter * draw.fraction(), untilMs - quarter * draw.fraction()];
      if (!draw.chance(GONE_PERCENT)) continue;
      kernel.at(leavesMs, actor, 'evening', () => client.leave());
      kernel.at(comesMs, actor, 'morning', () => client.comeBack());
    }
  }
}
