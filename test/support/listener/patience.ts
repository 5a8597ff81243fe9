import { eventually } from '@msg/testkit';

/** For whatever happens by itself. Nothing takes that long; a machine with other work is slow. */
export const PATIENCE_MS = 120_000;
/** Many cases wait at the same time: their questions must not be the load. */
const ASK_EVERY_MS = 50;

/** Waits until `holds` answers true. Rejects with `what` when that does not happen. */
export function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(what, holds, PATIENCE_MS, ASK_EVERY_MS);
}
