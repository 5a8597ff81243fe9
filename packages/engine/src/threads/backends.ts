import { type Clock, systemClock } from '@msg/foundation/clock';
import { ThreadBroker } from '../broker/threads/thread-broker.ts';
import { ThreadControl } from '../control/threads/thread-control.ts';
import type { NodeOptions } from '../node/options.ts';
import { ThreadPresence } from '../presence/threads/thread-presence.ts';
import { ENGINE_ERRORS } from './errors.ts';
import type { ThreadLink } from './host.ts';
import type { ErrorRow } from './link/error-rows.ts';
import { LinkEnd } from './link/link-end.ts';
import { ThreadCounts } from './process-counts.ts';
import { SharedTotals } from './shared-totals.ts';

/** Options of {@link threadBackends}. */
export interface ThreadBackendOptions {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** The rows that were given to `threadHost`. */
  readonly errors?: readonly ErrorRow[];
  /** Told of events that could not be read. Default: ignored. */
  readonly onError?: (error: unknown) => void;
  /** Called when the two ends of the link disagree: the thread gets nothing any more and should end. */
  readonly onBroken?: (error: Error) => void;
  /** Asked at each publish for the trace that it belongs to, as `below` of the host takes it. Default: not traced. */
  readonly trace?: () => string | undefined;
}

/** The backends of the node of one thread. */
export interface ThreadBackends {
  /** For the node: `new RealtimeNode({ policy, ...backends })`. */
  readonly backends: Required<Pick<NodeOptions, 'nodeId' | 'broker' | 'presence' | 'control' | 'bounds'>>;
  /** This end of the link, for what else the thread asks of main. */
  readonly end: LinkEnd;
  /** Closes the link, after the node has stopped. */
  close(): void;
}

/** The thread's end of everything that main owns; `link` comes from `threadHost(…).attach(number)` by `workerData`. */
export function threadBackends(
  { memory, nodeId, hasAppends, ownsStreams, totals, furtherTotals, number }: ThreadLink,
  { clock = systemClock, errors = [], trace, ...events }: ThreadBackendOptions = {},
): ThreadBackends {
  const end = new LinkEnd(memory, { ...events, clock, errors: [...ENGINE_ERRORS, ...errors] });
  const backends = {
    nodeId,
    broker: new ThreadBroker(end, { hasAppends, ownsStreams, clock, trace }),
    presence: new ThreadPresence(end),
    control: new ThreadControl(end),
    bounds: { ...new SharedTotals(furtherTotals, totals).of(number), counts: new ThreadCounts(end) },
  };
  return { backends, end, close: () => end.close() };
}
