import type { OutboxEvent, OutboxFailure, OutboxStats } from '../contract.ts';
import type { OutboxCount } from '../store/status.ts';

const RECENT_CHANNELS = 10_000;

/** Counts what a worker does and reports what changes. */
export class WorkerFigures {
  readonly #onEvent: (event: OutboxEvent) => void;
  readonly #dead = new Map<string, number>();
  readonly #failures = new Map<OutboxFailure['where'], OutboxFailure>();
  /** Channels published into, the latest last. */
  readonly #channels = new Set<string>();
  #published = 0;
  #suppressed = 0;
  #takeovers = 0;
  #bell: OutboxStats['bell'] = 'polling';
  #bellReplaced = 0;
  #count: OutboxCount | undefined;

  constructor(onEvent: (event: OutboxEvent) => void) {
    this.#onEvent = onEvent;
  }

  stats(isRunning: boolean): OutboxStats {
    const failure = this.#failures.get('database') ?? this.#failures.get('service');
    const running = failure === undefined ? 'running' : 'waiting';
    return {
      state: isRunning ? running : 'stopped',
      failure,
      published: this.#published,
      suppressed: this.#suppressed,
      dead: new Map(this.#dead),
      takeovers: this.#takeovers,
      bell: this.#bell,
      bellReplaced: this.#bellReplaced,
      rows: this.#count?.rows,
      oldestSeconds: this.#count?.oldestSeconds,
      deadRows: this.#count?.deadRows,
    };
  }

  published(count: number, suppressed: number): void {
    this.#published += count;
    this.#suppressed += suppressed;
  }

  publishedInto(channel: string): void {
    this.#channels.delete(channel);
    this.#channels.add(channel);
    if (this.#channels.size <= RECENT_CHANNELS) return;
    for (const oldest of this.#channels) {
      this.#channels.delete(oldest);
      return;
    }
  }

  hasPublishedInto(channel: string): boolean {
    return this.#channels.has(channel);
  }

  /** @param count rows that went with it, itself included */
  died(id: string, channel: string, code: string, count: number): void {
    this.#dead.set(code, (this.#dead.get(code) ?? 0) + count);
    this.#onEvent({ type: 'dead', id, channel, code });
  }

  tookOver(partition: number): void {
    this.#takeovers++;
    this.#onEvent({ type: 'takeover', partition });
  }

  counted(count: OutboxCount): void {
    this.#count = count;
  }

  waiting(failure: OutboxFailure, retryMs: number): void {
    const before = this.#failures.get(failure.where);
    this.#failures.set(failure.where, failure);
    if (before?.code !== failure.code) this.#onEvent({ type: 'waiting', retryMs, ...failure });
  }

  works(where: OutboxFailure['where']): void {
    if (this.#failures.delete(where)) this.#onEvent({ type: 'recovered', where });
  }

  bell(state: OutboxStats['bell']): void {
    if (this.#bell === state) return;
    this.#bell = state;
    this.#onEvent({ type: 'bell', state });
  }

  bellWasReplaced(): void {
    this.#bellReplaced++;
  }
}
