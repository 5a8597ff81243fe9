import { SCHEMA_CHANNEL } from '@msg/core/internal';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import { createParser } from 'eventsource-parser';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;

export interface WatchOptions {
  /** Address of the watched service. */
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Called after each change, and after each connection, before which changes may have been missed. */
  readonly onChange: () => Promise<void>;
  /** The connection is lost or refused; the watch retries. */
  readonly onLost: (reason: string) => void;
  /** Time between two attempts; the system's by default. */
  readonly clock?: Clock;
}

/**
 * Follows the broadcast of schema changes over the debug stream until the signal is aborted (messaging details 11.1,
 * 14.3).
 */
export async function watchRegistry(options: WatchOptions): Promise<void> {
  const { origin, signal, onChange, onLost, clock = systemClock } = options;
  const url = `${origin}/sse?${new URLSearchParams({ channel: SCHEMA_CHANNEL })}`;
  let retryMs = FIRST_RETRY_MS;
  const follow = async (): Promise<void> => {
    const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal });
    if (response.status !== 200 || response.body === null)
      throw new Error(`${url} answered ${response.status}`);
    retryMs = FIRST_RETRY_MS;
    await onChange();
    let changed = false;
    const parser = createParser({
      onEvent: () => {
        changed = true;
      },
    });
    const decoder = new TextDecoder();
    for await (const piece of response.body) {
      parser.feed(decoder.decode(piece, { stream: true }));
      if (changed) await onChange();
      changed = false;
    }
    throw new Error('the server ended the stream');
  };
  while (!signal.aborted) {
    try {
      await follow();
    } catch (error) {
      if (signal.aborted) return;
      onLost(error instanceof Error ? error.message : String(error));
      await pause(clock, retryMs, signal);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }
}
