import type { FinalStatus } from './status.ts';

/** The tags of the last publication of a message (append streams 8.4). */
export function endTags(message: string, status: FinalStatus): ReadonlyMap<string, string> {
  return new Map([
    ['msg-message', message],
    ['msg-status', status],
  ]);
}
