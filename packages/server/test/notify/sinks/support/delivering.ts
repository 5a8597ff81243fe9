import { type Random, systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { DeadLetterQueue } from '#src/notify/dead-letters/contract.ts';
import { DeadLetters } from '#src/notify/dead-letters/dead-letters.ts';
import { MemoryDeadLetterQueue } from '#src/notify/dead-letters/memory.ts';
import { InFlightDeliveries } from '#src/notify/sinks/in-flight.ts';
import { SinkRegistry, type SinkRegistryOptions } from '#src/notify/sinks/registry.ts';

/** Random numbers as listed, the last for ever; ids stay random. */
export function scriptedRandom(...fractions: number[]): Random {
  let next = 0;
  return { ...systemRandom, fraction: () => fractions[Math.min(next++, fractions.length - 1)] ?? 0.5 };
}

/** Sinks, retry and dead letters on a clock that moves when the test says so; no jitter unless asked for. */
export function delivering(
  options: Partial<SinkRegistryOptions> & { readonly deadLetters?: DeadLetterQueue } = {},
) {
  const clock = new ManualClock();
  const outbound = new InFlightDeliveries(clock);
  const queue = new MemoryDeadLetterQueue(systemRandom);
  const events: string[] = [];
  const errors: unknown[] = [];
  const sinks = new SinkRegistry({
    retry: { jitterFraction: -1 },
    clock,
    random: systemRandom,
    outbound,
    deadLetters: queue,
    observer: {
      attempted: (sink, ok) => void events.push(`${sink} ${ok ? 'ok' : 'failed'}`),
      parked: (sink, _id, attempts, lastError) =>
        void events.push(`${sink} parked after ${attempts}: ${lastError}`),
      recipientGone: ({ sink, channel }) => void events.push(`${sink} gone in ${channel}`),
    },
    ...options,
  });
  const deadLetters = new DeadLetters({
    queue: options.deadLetters ?? queue,
    sinks,
    outbound,
    clock,
    onError: error => void errors.push(error),
  });
  return { clock, outbound, queue, sinks, deadLetters, events, errors };
}

/** The value, or the code of the failure. */
export async function outcomeOf<T>(promise: Promise<T>): Promise<T | string> {
  return promise.catch((error: unknown) =>
    error instanceof Error && 'code' in error ? String(error.code) : String(error),
  );
}
