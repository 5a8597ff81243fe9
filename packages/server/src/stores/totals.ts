import type { ProcessBounds, Total } from '@msg/engine';
import { OwnTotal } from '@msg/engine/internal';

/** What a service counts over the threads of its process, besides what the engine counts. */
export const SERVICE_TOTALS = ['feeds', 'tails', 'recordings'] as const;

export type ServiceTotals = Readonly<Record<(typeof SERVICE_TOTALS)[number], Total>>;

/** Those of the process; of this service alone where none are shared. */
export function serviceTotals(bounds: Pick<ProcessBounds, 'further'> | undefined): ServiceTotals {
  const total = (name: (typeof SERVICE_TOTALS)[number]): Total => bounds?.further.get(name) ?? new OwnTotal();
  return { feeds: total('feeds'), tails: total('tails'), recordings: total('recordings') };
}
