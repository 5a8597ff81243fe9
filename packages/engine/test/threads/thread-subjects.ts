import { RecordedEvents } from '@msg/engine/testing';
import {
  type ErrorRow,
  type LinkSizes,
  type ThreadBackends,
  type ThreadHost,
  threadBackends,
  threadHost,
} from '@msg/engine/threads';
import { ManualClock } from '@msg/foundation/clock/testing';

/** Sizes of links that every suite runs with: in the small ones records wrap and wait all the time. */
export const LINK_SIZES: readonly (readonly [name: string, sizes: LinkSizes])[] = [
  ['rings of 4 KiB', { upBytes: 4096, downBytes: 4096 }],
  ['rings of the default size', {}],
];

/** One process in one thread: main's backends, and the ends of some threads, under one clock. */
export class ThreadsInOne {
  readonly clock = new ManualClock();
  readonly host: ThreadHost;
  readonly main = new RecordedEvents();
  readonly errors: unknown[] = [];
  readonly #open: { thread: ThreadBackends; detach: () => Promise<void> }[] = [];

  constructor(sizes: LinkSizes = {}, options: Parameters<typeof threadHost>[0] = {}) {
    const onError = (error: unknown): void => void this.errors.push(error);
    this.host = threadHost({ nodeId: 'p', clock: this.clock, sizes, onError, ...options });
  }

  async start(events: Parameters<ThreadHost['backends']['broker']['start']>[0] = this.main): Promise<this> {
    await this.host.backends.broker.start(events);
    return this;
  }

  /** Attaches a thread whose broker reports to the returned events. */
  async thread(number: number, errors: readonly ErrorRow[] = []) {
    const attached = this.host.attach(number);
    const onError = (error: unknown): void => void this.errors.push(error);
    const thread = threadBackends(attached.link, { clock: this.clock, errors, onError });
    this.#open.push({ thread, detach: () => attached.detach() });
    const events = new RecordedEvents();
    const restored: (readonly string[] | undefined)[] = [];
    const missed: string[] = [];
    Object.assign(events, {
      restored: (channels?: readonly string[]) => restored.push(channels),
      missed: (channel: string) => missed.push(channel),
    });
    await thread.backends.broker.start(events);
    return { attached, ...thread.backends, events, restored, missed, close: () => thread.close() };
  }

  async stop(): Promise<void> {
    for (const { thread, detach } of this.#open) {
      thread.close();
      await detach();
    }
    await this.host.backends.broker.stop();
  }
}
