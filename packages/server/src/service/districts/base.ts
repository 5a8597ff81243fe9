import type { RealtimeNode } from '@msg/engine';
import type { Clock, Random } from '@msg/foundation/clock';
import type { ApiKeys } from '../../auth/api-keys/api-keys.ts';
import type { Keyring } from '../../auth/keys/keyring.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Tracing } from '../../observability/tracing/contract.ts';
import type { PublishPipeline } from '../../publishing/pipeline.ts';
import type { MeasuredStores } from '../../stores/contract.ts';
import type { MsgOptions } from '../options.ts';

/** What every district of a service is made with. */
export interface Base {
  readonly options: MsgOptions;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
  readonly keyring: Keyring;
  readonly apiKeys: ApiKeys;
  readonly stores: MeasuredStores;
  /** Reports a failure that no caller gets. */
  readonly onError: (error: unknown) => void;
}

/** Parts that other districts make later: read when something happens, never while the service is put together. */
export interface LateParts {
  readonly node: RealtimeNode;
  readonly pipeline: PublishPipeline;
  readonly metrics: Metrics;
}
