import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { type SinkEntry, type SinkRetryEntry, sinkConfigError } from '../config/sink-settings.ts';
import type { Sink } from '../notify/sinks/contract.ts';
import type { RetrySettings } from '../notify/sinks/retry-policy.ts';
import type { SinkParts } from '../notify/sinks/sink-kind.ts';

/**
 * Makes the sink of an entry of the configuration file, and loads its kind.
 * @throws MsgError MSG_SINK_CONFIG_INVALID with the entry, file and line, without values
 */
export async function configuredSink(
  name: string,
  { kind, settings, place }: SinkEntry,
  parts: Omit<SinkParts, 'name'>,
): Promise<Sink> {
  const builder = await kind.load();
  try {
    return builder.create(settings, { ...parts, name });
  } catch (error) {
    throw error instanceof MsgError ? sinkConfigError(place, `: ${error.message}`) : error;
  }
}

/** The library's settings for those of the file. */
export function configuredRetry(entry: SinkRetryEntry): RetrySettings {
  return {
    ...defined({
      maxAttempts: entry.max_attempts,
      baseBackoff: entry.base_backoff,
      maxBackoff: entry.max_backoff,
      jitterFraction: entry.jitter_fraction,
    }),
  };
}
