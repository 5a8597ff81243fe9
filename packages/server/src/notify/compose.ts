import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { Logger } from '../observability/logger.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import type { MsgOptions } from '../service/options.ts';
import type { DeadLetterQueue } from './dead-letters/contract.ts';
import { DeadLetters } from './dead-letters/dead-letters.ts';
import { InFlightDeliveries } from './sinks/in-flight.ts';
import { SinkRegistry } from './sinks/registry.ts';
import type { DeliveryObserver } from './sinks/retrying.ts';

/** The parts for deliveries outside channels. */
export interface Notify {
  readonly outbound: InFlightDeliveries;
  readonly sinks: SinkRegistry;
  readonly deadLetters: DeadLetters;
}

export interface NotifyParts {
  readonly queue: DeadLetterQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracing?: Tracing;
  readonly onAttempt: DeliveryObserver['attempted'];
  readonly onError: (error: unknown) => void;
}

/** Makes sinks, retry and dead letters. @throws MsgError MSG_SINK_CONFIG_INVALID for an invalid sink name */
export function composeNotify(options: MsgOptions, parts: NotifyParts): Notify {
  const { queue, clock, random, logger, tracing, onAttempt, onError } = parts;
  const outbound = new InFlightDeliveries(clock);
  const sinks = new SinkRegistry({
    retry: options.sinkRetry ?? {},
    clock,
    random,
    outbound,
    deadLetters: queue,
    ...defined({ tracing }),
    observer: {
      attempted: onAttempt,
      // The error of the destination may contain personal data: `dlq list` shows it, logs do not.
      parked: (sink, id, attempts) => logger.warn({ sink, id, attempts }, 'delivery parked as a dead letter'),
    },
  });
  for (const sink of options.sinks ?? []) sinks.register(sink);
  return { outbound, sinks, deadLetters: new DeadLetters({ queue, sinks, outbound, clock, onError }) };
}
