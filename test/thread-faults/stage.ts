import type { Counters } from './counters.ts';
import type { Ledger } from './ledger.ts';
import type { FaultyService } from './service.ts';
import type { Traffic } from './traffic.ts';
import type { Witness } from './witness.ts';

/** What an act is judged on. */
export interface Stage {
  readonly service: FaultyService;
  /** By language. */
  readonly ledgers: ReadonlyMap<string, Ledger>;
  readonly witnesses: readonly Witness[];
  readonly channels: readonly string[];
  readonly traffic: Traffic;
  readonly counters: Counters;
  /** How many subscribers the channel with this index has when all are there. */
  subscribersOf(index: number): number;
}

/** True when each channel has its subscribers, no more and no fewer. */
export async function stageIsFull({
  service,
  channels,
  subscribersOf,
}: Pick<Stage, 'service' | 'channels' | 'subscribersOf'>): Promise<boolean> {
  const counts = await Promise.all(
    channels.map(name =>
      service.rpc.call('Presence', { name }).then(
        ({ subscribers }) => subscribers,
        () => -1,
      ),
    ),
  );
  return counts.every((count, index) => count === subscribersOf(index));
}
