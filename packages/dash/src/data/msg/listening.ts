import type { TimerHandle } from '@msg/foundation/clock';
import type { Centrifuge } from 'centrifuge';
import { DashError } from '../../errors.ts';
import { errnoOf } from '../dial/errno.ts';
import type { SourceTools } from '../source.ts';
import { Feed } from './feed.ts';

/** How long a channel without viewers is listened to. */
const IDLE_MS = 30_000;

/** A channel, and who needs it. */
class Listened {
  readonly feed: Feed;
  readonly #waiting = new Set<() => void>();
  readonly #watching = new Set<() => void>();
  timer: TimerHandle | undefined;

  constructor(open: (onChange: () => void) => Feed) {
    this.feed = open(() => {
      for (const call of [...this.#waiting, ...this.#watching]) call();
    });
  }

  get isNeeded(): boolean {
    return this.#waiting.size + this.#watching.size > 0;
  }

  watch(onChange: () => void): () => void {
    const call = (): void => onChange(); // one listener may watch several times
    this.#watching.add(call);
    return () => void this.#watching.delete(call);
  }

  /** Resolves when the state is known, or when it is not waited for any more. */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.feed.state.is !== 'opening' || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.feed.state.is !== 'opening') resolve();
    };
    const leave = (): void => resolve();
    this.#waiting.add(look);
    signal.addEventListener('abort', leave, { once: true });
    await promise;
    this.#waiting.delete(look);
    signal.removeEventListener('abort', leave);
  }
}

/** One connection to a server, with the channels that are listened to over it. */
export class Listening {
  readonly #client: Centrifuge;
  readonly #tools: SourceTools;
  readonly #onEmpty: () => void;
  readonly #channels = new Map<string, Listened>();
  #failure: Error | undefined;

  /**
   * @param connect makes the client; it is told of failed connections.
   * @param onEmpty is called when nothing is listened to any more: the connection is closed then.
   */
  constructor(
    connect: (onFailure: (error: Error) => void) => Centrifuge,
    tools: SourceTools,
    onEmpty: () => void,
  ) {
    this.#tools = tools;
    this.#onEmpty = onEmpty;
    this.#client = connect(error => {
      this.#failure = error;
    });
    this.#client.on('connected', () => {
      this.#failure = undefined;
    });
    this.#client.on('error', ({ error }) => this.#failed(error.code, error.message));
    this.#client.on('connecting', ({ code, reason }) => code > 0 && this.#failed(code, reason));
    this.#client.on('disconnected', ({ code, reason }) => code > 0 && this.#failed(code, reason));
    this.#client.connect();
  }

  /**
   * What a channel published last.
   * @throws DashError when that is not known.
   */
  async ask(channel: string, most: number, signal: AbortSignal): Promise<Feed> {
    const listened = this.#listened(channel, most);
    if (this.#client.state === 'disconnected') this.#client.connect();
    listened.feed.retry();
    await listened.settled(signal);
    this.#release(channel, listened);
    const { feed } = listened;
    if (feed.state.is === 'failed') throw feed.state.error;
    return feed;
  }

  /** Calls back when a channel has published, until the answered function is called. */
  watch(channel: string, most: number, onChange: () => void): () => void {
    const listened = this.#listened(channel, most);
    const stop = listened.watch(onChange);
    return () => {
      stop();
      this.#release(channel, listened);
    };
  }

  close(): void {
    for (const [channel, listened] of this.#channels) this.#end(channel, listened);
  }

  #listened(channel: string, most: number): Listened {
    const listened =
      this.#channels.get(channel) ??
      new Listened(onChange => new Feed(this.#client, channel, most, this.#tools, onChange));
    this.#channels.set(channel, listened);
    listened.feed.want(most);
    if (listened.timer !== undefined) this.#tools.clock.clearTimeout(listened.timer);
    listened.timer = undefined;
    return listened;
  }

  /** What works is kept for a while; what does not is ended with its last viewer. */
  #release(channel: string, listened: Listened): void {
    if (listened.isNeeded || this.#channels.get(channel) !== listened || listened.timer !== undefined) return;
    if (listened.feed.state.is !== 'open') this.#end(channel, listened);
    else listened.timer = this.#tools.clock.setTimeout(() => this.#end(channel, listened), IDLE_MS);
  }

  #end(channel: string, listened: Listened): void {
    if (listened.timer !== undefined) this.#tools.clock.clearTimeout(listened.timer);
    listened.feed.end();
    this.#channels.delete(channel);
    if (this.#channels.size > 0) return;
    this.#client.disconnect();
    this.#onEmpty();
  }

  #failed(code: number, message: string): void {
    const failure = this.#failure;
    for (const { feed } of this.#channels.values()) {
      if (failure === undefined) feed.fail({ code, message });
      else feed.failWith(lost(failure));
    }
  }
}

/** A connection that could not be made. */
function lost(failure: Error): DashError {
  if (failure instanceof DashError) return failure;
  const reason = errnoOf(failure) ?? 'the answer is not that of a WebSocket';
  return new DashError('QUERY_FAILED', `The connection to the channel failed: ${reason}.`, { reason });
}
