/** Where a client says it stopped. An empty epoch means: whatever the epoch is. */
export interface Position {
  readonly offset: number;
  readonly epoch: string;
}

/** One numbering of a channel's publications, from offset 1 on. */
export class Incarnation {
  /** Known once the broker has named it. */
  epoch = '';
  /** Payload texts; the one of offset n stands at n − 1. */
  readonly texts: string[] = [];

  get top(): number {
    return this.texts.length;
  }

  textAt(offset: number): string | undefined {
    return this.texts[offset - 1];
  }
}

/** What a channel keeps (client protocol 10.1). */
export interface Retention {
  readonly size: number;
  readonly ttlMs: number;
  /** Publications that one recovery may return; 0: any number. */
  readonly recoveryItems: number;
}

/** Everything that was ever published into one channel, and what of it could still be recovered. */
export class ChannelLog {
  readonly retention: Retention;
  /** Null after a reset, until the next use. */
  current: Incarnation | null = null;
  readonly #byEpoch = new Map<string, Incarnation>();
  /** How many of the newest publications are retained. */
  #retained = 0;
  #expiresAt = 0;
  /** Told after every change. */
  readonly #watchers = new Set<() => void>();

  constructor(retention: Retention) {
    this.retention = retention;
  }

  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  unwatch(watcher: () => void): void {
    this.#watchers.delete(watcher);
  }

  incarnation(epoch: string): Incarnation | undefined {
    return this.#byEpoch.get(epoch);
  }

  append(text: string, now: number): void {
    const { size, ttlMs } = this.retention;
    this.#expire(now);
    this.current ??= new Incarnation();
    this.current.texts.push(text);
    this.#retained = Math.min(size, this.#retained + 1);
    this.#expiresAt = now + ttlMs;
    this.#changed();
  }

  /** A read brings an absent stream into being. */
  touch(): void {
    if (this.current !== null) return;
    this.current = new Incarnation();
    this.#changed();
  }

  /** The broker named the current incarnation. Answers what is wrong with the name, if anything. */
  name(incarnation: Incarnation, epoch: string): string | null {
    if (incarnation.epoch === epoch) return null;
    if (incarnation.epoch !== '') return `epoch ${incarnation.epoch} turned into ${epoch}`;
    if (epoch === '' || this.#byEpoch.has(epoch)) return `epoch '${epoch}' is empty or was used before`;
    incarnation.epoch = epoch;
    this.#byEpoch.set(epoch, incarnation);
    return null;
  }

  trim(): void {
    this.#retained = 0;
    this.#changed();
  }

  reset(): void {
    this.current = null;
    this.#retained = 0;
    this.#changed();
  }

  /** Offsets that a read after `offset` finds. */
  retainedAfter(offset: number, now: number): number[] {
    this.#expire(now);
    const top = this.current?.top ?? 0;
    const found: number[] = [];
    for (let o = Math.max(offset, top - this.#retained) + 1; o <= top; o++) found.push(o);
    return found;
  }

  /** Can a client go on from here without missing anything (client protocol 11.1)? */
  continuesFrom({ offset, epoch }: Position, now: number): boolean {
    const top = this.current?.top ?? 0;
    if (epoch !== '' && epoch !== this.current?.epoch) return false;
    const missed = top - offset;
    if (missed <= 0) return missed === 0;
    const { recoveryItems } = this.retention;
    if (recoveryItems > 0 && missed > recoveryItems) return false;
    return this.retainedAfter(offset, now).length === missed;
  }

  #expire(now: number): void {
    if (this.#expiresAt <= now) this.#retained = 0;
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
