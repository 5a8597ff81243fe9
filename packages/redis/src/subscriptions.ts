import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { Redis } from 'ioredis';
import { retryDelay } from './retry-delay.ts';

/** Channels of one SUBSCRIBE or UNSUBSCRIBE. */
const BATCH = 512;
/** Delay of an unsubscribe, so that a resubscribe within it costs nothing. */
const UNSUBSCRIBE_DELAY_MS = 1000;
/** After this time without a message a probe is published; after the same time again the connection is opened anew. */
const SILENCE_MS = 2000;

/**
 * Messages of a `plain` PUB/SUB channel go to every node of a cluster; those of a `sharded` channel stay at the node of
 * its slot. Sharded channels need a cluster of Redis 7 or newer, or Valkey.
 */
export type PubSubKind = 'plain' | 'sharded';

/** The client's names of each kind. */
const NAMES = {
  plain: { message: 'messageBuffer', subscribe: 'subscribe', unsubscribe: 'unsubscribe' },
  sharded: { message: 'smessageBuffer', subscribe: 'ssubscribe', unsubscribe: 'sunsubscribe' },
} as const;

/** Events of a set of subscriptions. */
export interface SubscriptionEvents {
  message(channel: string, bytes: Buffer): void;
  /** Messages of these channels may have been lost; from now on none are. */
  restored(channels: Iterable<string>): void;
}

export interface SubscriptionOptions {
  readonly kind: PubSubKind;
  /** Makes a client that is not connected yet. */
  readonly connect: (attempt: number) => Promise<Redis>;
  /** Publishes a probe to the channel, on the way of all messages. */
  readonly probe: (channel: string) => Promise<unknown>;
  /** A channel for probes only. */
  readonly probeChannel: string;
  readonly events: SubscriptionEvents;
  readonly clock: Clock;
}

interface Waiting {
  readonly channel: string;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * A changing set of PUB/SUB channels on one connection, which is opened again with all its channels when it ends, falls
 * silent or, with sharded channels, their slot moves. Requests of one turn share a command.
 */
export class Subscriptions {
  readonly #options: SubscriptionOptions;
  readonly #clock: Clock;
  readonly #names: (typeof NAMES)[PubSubKind];
  readonly #channels = new Set<string>();
  /** Channels that the current connection has confirmed. */
  readonly #confirmed = new Set<string>();
  readonly #unsubscribing = new Set<string>();
  #waiting: Waiting[] = [];
  #client: Redis | undefined;
  #up = false;
  #closed = false;
  #attempt = 0;
  #answered = false;
  #probing = false;
  #retry: TimerHandle | undefined;
  #liveness: TimerHandle | undefined;
  #unsubscribeTimer: TimerHandle | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#names = NAMES[options.kind];
  }

  /** False while the connection is known to be down. */
  get up(): boolean {
    return this.#up;
  }

  /** Connects; rejects, without further attempts, when the first one fails. */
  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Safe to call again. */
  close(): void {
    // A second disconnect of a client would keep the process alive for two seconds.
    if (this.#closed) return;
    this.#closed = true;
    this.#up = false;
    for (const timer of [this.#retry, this.#liveness, this.#unsubscribeTimer]) {
      if (timer !== undefined) this.#clock.clearTimeout(timer);
    }
    // Messages that were already read would still be reported.
    this.#client?.removeAllListeners(this.#names.message);
    this.#client?.disconnect();
    this.#refuse(new Error('the subscriptions are closed'));
  }

  /** Resolves once messages are certain to arrive. Rejects without a connection, and when it ends. */
  async subscribe(channel: string): Promise<void> {
    if (!this.#up) throw new Error('the store is not connected');
    this.#unsubscribing.delete(channel);
    this.#channels.add(channel);
    if (this.#confirmed.has(channel)) return;
    const confirmed = new Promise<void>((resolve, reject) => {
      if (this.#waiting.push({ channel, resolve, reject }) === 1) this.#clock.afterTurn(() => this.#flush());
    });
    await confirmed.catch(error => {
      this.#channels.delete(channel); // a failed subscribe is never unsubscribed
      throw error;
    });
  }

  /** Unsubscribes after a delay, unless the channel is subscribed again before. */
  unsubscribe(channel: string): void {
    if (!this.#channels.has(channel)) return;
    this.#unsubscribing.add(channel);
    this.#unsubscribeTimer ??= this.#clock.setTimeout(() => this.#leave(), UNSUBSCRIBE_DELAY_MS);
  }

  async #open(): Promise<void> {
    const client = await this.#options.connect(this.#attempt++);
    if (this.#closed) return;
    this.#client = client;
    client.on('error', () => {}); // its end is handled below
    client.on(this.#names.message, (channel: Buffer, bytes: Buffer) => this.#received(channel, bytes));
    client.on('moved', () => client.disconnect()); // the server gave the slot away, and left the channels
    await client.connect();
    client.once('end', () => this.#lost(client));
    this.#confirmed.clear();
    await this.#request(client, [this.#options.probeChannel, ...this.#channels]);
    if (this.#closed) return client.disconnect();
    if (client.status !== 'ready') throw new Error('the connection ended');
    this.#attempt = 0;
    this.#up = true;
    this.#probing = false;
    this.#watch(client);
  }

  async #request(client: Redis, channels: readonly string[]): Promise<void> {
    const batches: Promise<unknown>[] = [];
    for (let at = 0; at < channels.length; at += BATCH) {
      const batch = channels.slice(at, at + BATCH);
      const asked = client[this.#names.subscribe](...batch);
      batches.push(asked.then(() => batch.map(channel => this.#confirmed.add(channel))));
    }
    await Promise.all(batches);
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const client = this.#client;
    if (client === undefined || !this.#up) {
      for (const { reject } of waiting) reject(new Error('the store is not connected'));
      return;
    }
    this.#request(client, [...new Set(waiting.map(({ channel }) => channel))]).then(
      () => {
        for (const { resolve } of waiting) resolve();
      },
      error => {
        for (const { reject } of waiting) reject(error);
        client.disconnect(); // its subscriptions are unknown
      },
    );
  }

  #leave(): void {
    this.#unsubscribeTimer = undefined;
    const channels = [...this.#unsubscribing];
    this.#unsubscribing.clear();
    for (const channel of channels) {
      this.#channels.delete(channel);
      this.#confirmed.delete(channel);
    }
    const client = this.#client;
    if (!this.#up || client === undefined) return;
    for (let at = 0; at < channels.length; at += BATCH) {
      const batch = channels.slice(at, at + BATCH);
      client[this.#names.unsubscribe](...batch).catch(() => client.disconnect());
    }
  }

  #received(channel: Buffer, bytes: Buffer): void {
    this.#answered = true;
    const name = channel.toString();
    if (name !== this.#options.probeChannel) this.#options.events.message(name, bytes);
  }

  /** After a failover a healthy connection may lead to a server that gets no messages (client protocol 16.7). */
  #watch(client: Redis): void {
    this.#answered = false;
    this.#liveness = this.#clock.setTimeout(() => {
      if (this.#client !== client || !this.#up) return;
      if (!this.#answered && this.#probing) return client.disconnect();
      this.#probing = !this.#answered;
      // A probe that cannot be sent counts like one that does not arrive.
      if (this.#probing) this.#options.probe(this.#options.probeChannel).catch(() => {});
      this.#watch(client);
    }, SILENCE_MS);
  }

  #lost(client: Redis | undefined): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = undefined;
    this.#up = false;
    if (this.#liveness !== undefined) this.#clock.clearTimeout(this.#liveness);
    this.#refuse(new Error('the connection to the store ended'));
    this.#retry = this.#clock.setTimeout(() => void this.#reconnect(), retryDelay(this.#attempt + 1));
  }

  async #reconnect(): Promise<void> {
    this.#retry = undefined;
    try {
      await this.#open();
      if (this.#up) this.#options.events.restored(this.#channels);
    } catch {
      if (this.#retry !== undefined) return; // its end was already handled
      this.#client?.disconnect();
      this.#lost(this.#client);
    }
  }

  #refuse(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
  }
}
