import type { MessagePort } from 'node:worker_threads';
import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import type { ProcessBounds } from '../bounds.ts';
import type { Broker } from '../broker/contract.ts';
import { MemoryBroker } from '../broker/memory.ts';
import type { DroppedEvents } from '../broker/threads/broker-thread.ts';
import { type Below, MOST_THREADS, ThreadedBroker } from '../broker/threads/threaded-broker.ts';
import type { Control } from '../control/contract.ts';
import { LocalControl } from '../control/local.ts';
import { ThreadedControl } from '../control/threads/threaded-control.ts';
import type { NodeOptions } from '../node/options.ts';
import type { Presence } from '../presence/contract.ts';
import { MemoryPresence } from '../presence/memory.ts';
import { ThreadedPresence } from '../presence/threads/threaded-presence.ts';
import { TimerWheel } from '../timers/timer-wheel.ts';
import { ENGINE_ERRORS } from './errors.ts';
import { createLink, type LinkSizes } from './link/create-link.ts';
import type { ErrorRow } from './link/error-rows.ts';
import { LinkEnd, type LinkMemory } from './link/link-end.ts';
import { ProcessCounts } from './process-counts.ts';
import { SharedTotals } from './shared-totals.ts';

/** Options of {@link threadHost}. */
export interface ThreadHostOptions {
  /** The backends that main and all threads use; default: memory. */
  readonly broker?: Broker;
  readonly presence?: Presence;
  readonly control?: Control;
  /** Id of the process among others; default: a UUID. The node of a thread is `<id>/<number>.<generation>`. */
  readonly nodeId?: string;
  /** Names of further totals that main and all threads share: see `bounds.further` of their backends. Default: none. */
  readonly totals?: readonly string[];
  /** Sizes of the links. */
  readonly sizes?: LinkSizes;
  readonly clock?: Clock;
  readonly random?: Random;
  /** More errors that threads get as what they are; the same rows are given to {@link threadBackends}. */
  readonly errors?: readonly ErrorRow[];
  /** Told of errors that a thread only gets as a failure, and of a thread that is late. Default: ignored. */
  readonly onError?: (error: unknown) => void;
  /** Runs a publish of a thread that is traced there, with everything that it awaits; default: as any other. */
  readonly below?: Below;
}

/** What a thread is given: the value for `workerData`. It has neither credentials nor functions. */
export interface ThreadLink {
  readonly memory: LinkMemory;
  readonly nodeId: string;
  /** Main's broker has append streams. */
  readonly hasAppends: boolean;
  /** This process alone writes the streams of main. */
  readonly ownsStreams: boolean;
  /** What all threads hold together, with the names of further totals, and the number of this one. */
  readonly totals: SharedArrayBuffer;
  readonly furtherTotals: readonly string[];
  readonly number: number;
}

/** A thread that main serves. */
export interface AttachedThread {
  /** For `workerData`, with the list of what is transferred. */
  readonly link: ThreadLink;
  readonly transferList: readonly MessagePort[];
  /** Main's end of the link, for what else its thread asks. */
  readonly end: LinkEnd;
  /** Rejects when the two ends disagree: the thread has to be terminated then. */
  readonly broken: Promise<never>;
  /** Bytes that wait for the thread, in its ring and beside it. */
  readonly waitingBytes: number;
  /** Bells of the link that were lost and repaired; wanted: 0. */
  readonly missedBells: number;
  /** Events that the thread did not get because it did not read, and the gaps that told it. */
  dropped(): DroppedEvents & { readonly gaps: number };
  /**
   * The thread has ended: what it had written is carried out, its interest, its presence entries and what it held of
   * the limits of the process end, and a leave follows every join that has none (threads 7). A second call waits for the first one.
   */
  detach(): Promise<void>;
}

/** Main's end of everything that its threads share (threads 1). */
export class ThreadHost {
  /** For main's own node: `new RealtimeNode({ policy, ...host.backends })`. It starts before the threads. */
  readonly backends: Required<
    Pick<NodeOptions, 'nodeId' | 'broker' | 'presence' | 'control' | 'bounds' | 'clock' | 'random'>
  >;
  readonly #broker: ThreadedBroker;
  readonly #presence: ThreadedPresence;
  readonly #control: ThreadedControl;
  readonly #totals: SharedTotals;
  readonly #counts = new ProcessCounts();
  readonly #options: ThreadHostOptions;
  readonly #onError: (error: unknown) => void;
  readonly #generations: number[] = [];
  readonly #attached = new Set<number>();

  /** @internal use {@link threadHost} */
  constructor(options: ThreadHostOptions) {
    const { clock = systemClock, random = systemRandom, onError = () => {} } = options;
    const { broker = new MemoryBroker({ clock, random, wheel: new TimerWheel(clock) }) } = options;
    const { presence = new MemoryPresence(), control = new LocalControl(), nodeId = random.uuid() } = options;
    this.#options = options;
    this.#totals = new SharedTotals(options.totals ?? []);
    this.#onError = onError;
    this.#broker = new ThreadedBroker(broker, clock, options.below);
    this.#presence = new ThreadedPresence(presence);
    this.#control = new ThreadedControl({ control, clock, onError });
    const bounds: ProcessBounds = { ...this.#totals.of(0), counts: this.#counts.of(0) };
    const backends = { broker: this.#broker, presence: this.#presence, control: this.#control, bounds };
    this.backends = { ...backends, nodeId, clock, random };
  }

  /** Channels that main or a thread is interested in. */
  get channelCount(): number {
    return this.#broker.channelCount;
  }

  /**
   * Makes the link of thread `number`, 1 to 32, and serves it. The same number is attached again when a new thread replaces
   * one that ended.
   * @throws RangeError for another number, and for one that is still attached
   */
  attach(number: number): AttachedThread {
    if (!Number.isInteger(number) || number < 1 || number > MOST_THREADS)
      throw new RangeError(
        `the number of a thread must be an integer from 1 to ${MOST_THREADS}; got ${number}`,
      );
    if (this.#attached.has(number)) throw new RangeError(`thread ${number} is attached: detach it first`);
    this.#attached.add(number);
    const { clock, nodeId, broker } = this.backends;
    const { main, thread: memory, transferList } = createLink(this.#options.sizes);
    const generation = (this.#generations[number - 1] ?? 0) + 1;
    this.#generations[number - 1] = generation;
    const { promise: broken, reject: onBroken } = Promise.withResolvers<never>();
    broken.catch(() => {}); // for callers that do not look at it
    const errors = [...ENGINE_ERRORS, ...(this.#options.errors ?? [])];
    const end = new LinkEnd(main, { clock, errors, onBroken, onError: this.#onError });
    const thread = this.#broker.attach(number, end);
    this.#presence.attach(number, end);
    this.#control.attach(number, end);
    this.#counts.attach(number, end);
    let ended: Promise<void> | undefined;
    const link = {
      memory,
      nodeId: `${nodeId}/${number}.${generation}`,
      hasAppends: broker.appends !== undefined,
      ownsStreams: broker.ownsStreams === true,
      totals: this.#totals.memory,
      furtherTotals: this.#totals.further,
      number,
    };
    return {
      link,
      transferList,
      end,
      broken,
      get waitingBytes() {
        return end.waitingBytes;
      },
      get missedBells() {
        return end.missedBells;
      },
      dropped: () => ({ ...thread.dropped, gaps: thread.gaps }),
      detach: () => (ended ??= this.#detach(number, end)),
    };
  }

  async #detach(number: number, end: LinkEnd): Promise<void> {
    end.readRest();
    end.close();
    this.#totals.giveBack(number);
    this.#counts.detach(number);
    this.#control.detach(number);
    await this.#presence.detach(number);
    await this.#broker.detach(number);
    this.#attached.delete(number);
  }
}

/** Lets one process use several threads: its streams stay on main, each thread has a node of its own. */
export function threadHost(options: ThreadHostOptions = {}): ThreadHost {
  return new ThreadHost(options);
}
