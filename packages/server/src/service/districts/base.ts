import type { RealtimeNode } from '@msg/engine';
import type { Clock, Random } from '@msg/foundation/clock';
import type { Audit } from '../../audit/audit.ts';
import type { ApiKeys } from '../../auth/api-keys/api-keys.ts';
import type { Keyring } from '../../auth/keys/keyring.ts';
import type { Feeds } from '../../live/feeds.ts';
import type { SinkRegistry } from '../../notify/sinks/registry.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Tracing } from '../../observability/tracing/contract.ts';
import type { PublishPipeline } from '../../publishing/pipeline.ts';
import type { SubscriberCounter } from '../../realtime/subscriber-counter.ts';
import type { MeasuredStores } from '../../stores/contract.ts';
import type { MsgOptions } from '../options.ts';
import type { ThreadPlace } from '../resources.ts';

/** The input of every district of a service. */
export interface Base {
  readonly options: MsgOptions;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
  /** The session thread of this service; absent: it is that of main. */
  readonly thread?: ThreadPlace;
  readonly keyring: Keyring;
  readonly apiKeys: ApiKeys;
  readonly stores: MeasuredStores;
  /** Reports a failure that no caller gets. */
  readonly onError: (error: unknown) => void;
}

/** Parts that later districts make: they are read when the service runs, never during its creation. */
export interface LateParts {
  readonly node: RealtimeNode;
  readonly pipeline: PublishPipeline;
  readonly metrics: Metrics;
  readonly sinks: SinkRegistry;
  readonly subscribers: SubscriberCounter;
  readonly audit: Audit;
  readonly feeds: Feeds;
}

/** Reads each part when it is used. */
export function lateParts(read: { readonly [Name in keyof LateParts]: () => LateParts[Name] }): LateParts {
  return {
    get node() {
      return read.node();
    },
    get pipeline() {
      return read.pipeline();
    },
    get metrics() {
      return read.metrics();
    },
    get sinks() {
      return read.sinks();
    },
    get subscribers() {
      return read.subscribers();
    },
    get audit() {
      return read.audit();
    },
    get feeds() {
      return read.feeds();
    },
  };
}
