import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { Logger } from '../observability/logger.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import type { MsgOptions } from '../service/options.ts';
import type { DeadLetterQueue } from './dead-letters/contract.ts';
import { DeadLetters } from './dead-letters/dead-letters.ts';
import type { JobStore, RedriveJob } from './dead-letters/jobs/contract.ts';
import { LettersOfJobs } from './dead-letters/jobs/letters.ts';
import { MemoryJobStore } from './dead-letters/jobs/memory.ts';
import { RedriveJobs } from './dead-letters/jobs/redrive.ts';
import { InFlightDeliveries } from './sinks/in-flight.ts';
import { SinkRegistry } from './sinks/registry.ts';
import type { GoneRecipient } from './sinks/retrying.ts';

/** The parts for deliveries outside channels. */
export interface Notify {
  readonly outbound: InFlightDeliveries;
  readonly sinks: SinkRegistry;
  readonly deadLetters: DeadLetters;
  readonly jobLetters: LettersOfJobs;
  readonly redriveJobs: RedriveJobs;
}

/** What is counted of deliveries. */
interface DeliveryMetrics {
  sinkAttempted(sink: string, ok: boolean, seconds: number): void;
  recipientGone(sink: string): void;
}

export interface NotifyParts {
  readonly queue: DeadLetterQueue;
  /** Absent: jobs end with the process. */
  readonly jobs?: JobStore;
  readonly nodeId: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracing?: Tracing;
  readonly late: { readonly metrics: DeliveryMetrics };
  readonly onJobEnded: (job: RedriveJob) => void;
  readonly onError: (error: unknown) => void;
}

/** Makes sinks, retry and dead letters. @throws MsgError MSG_SINK_CONFIG_INVALID for an invalid sink name */
export function composeNotify(options: MsgOptions, parts: NotifyParts): Notify {
  const { queue, clock, random, logger, tracing, late, onError } = parts;
  const { jobs = new MemoryJobStore(clock), nodeId, onJobEnded } = parts;
  const announce = async (gone: GoneRecipient): Promise<void> => options.onRecipientGone?.(gone);
  const outbound = new InFlightDeliveries(clock);
  const sinks = new SinkRegistry({
    retry: options.sinkRetry ?? {},
    clock,
    random,
    outbound,
    deadLetters: queue,
    ...defined({ tracing }),
    observer: {
      attempted: (sink, ok, seconds) => late.metrics.sinkAttempted(sink, ok, seconds),
      // The error of the destination may contain personal data: `dlq list` shows it, logs do not.
      parked: (sink, id, attempts) => logger.warn({ sink, id, attempts }, 'delivery parked as a dead letter'),
      recipientGone(gone) {
        logger.info({ sink: gone.sink }, 'a recipient is gone for good');
        late.metrics.recipientGone(gone.sink);
        void announce(gone).catch(onError);
      },
    },
  });
  for (const sink of options.sinks ?? []) sinks.register(sink);
  const deadLetters = new DeadLetters({ queue, sinks, outbound, clock, onError });
  const jobLetters = new LettersOfJobs({ queue, sinks, outbound, clock });
  const redriveJobs = new RedriveJobs({
    store: jobs,
    clock,
    random,
    nodeId,
    send: (id, retries) => jobLetters.send(id, retries),
    stopping: outbound.stopping,
    onEnded(job) {
      const { id, sink, parked, state } = job;
      if (state === 'tripped')
        logger.warn({ job: id, sink, parked }, 'a job of dead letters ended by failures in a row');
      onJobEnded(job);
    },
    onError,
  });
  return { outbound, sinks, deadLetters, jobLetters, redriveJobs };
}
