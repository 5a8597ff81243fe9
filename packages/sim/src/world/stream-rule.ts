import type { MsgOptions } from '@msg/server';
import type { Drawn, STREAM_VALUES } from '../plan/switches.ts';

/** The pattern of every channel of the worlds. */
export const CHANNELS = 'public:sim.**';

/** The rule of these channels. */
export function streamRule({
  historySize,
  historyTtlMs,
  recovery,
  delta,
  joinLeave,
  presence,
  compaction,
}: Drawn<typeof STREAM_VALUES> & { readonly historySize: number }): NonNullable<
  MsgOptions['channelOptions']
>[number] {
  return { pattern: CHANNELS, historySize, historyTtlMs, recovery, delta, joinLeave, presence, compaction };
}
