import type { Redis } from 'ioredis';
import { retryDelay } from './clients.ts';

/** A quiet connection is asked this often whether it is alive; no answer, and it is made anew. */
const PROBE_MS = 5000;

/** What is listened to. */
export interface Listening {
  /** What to do with messages, by PUB/SUB channel. */
  readonly channels: ReadonlyMap<string, (text: string) => void>;
  /** Messages were lost, as far as anybody knows; from now on none are. */
  readonly reconnected: () => void;
}

/** A PUB/SUB connection that is made again whenever it ends or falls silent. */
export class Subscriber {
  readonly #connect: (attempt: number) => Redis;
  readonly #listening: Listening;
  #client: Redis | undefined;
  #timer: NodeJS.Timeout | undefined;
  #attempt = 0;
  #up = false;
  #closed = false;

  /** @param connect makes a client that is not connected yet */
  constructor(connect: (attempt: number) => Redis, listening: Listening) {
    this.#connect = connect;
    this.#listening = listening;
  }

  /** Messages arrive. */
  get up(): boolean {
    return this.#up;
  }

  /** Connects and subscribes; rejects when the first try fails, and gives up then. */
  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    this.#up = false;
    clearTimeout(this.#timer);
    this.#client?.disconnect();
  }

  async #open(): Promise<void> {
    const client = this.#connect(this.#attempt++);
    this.#client = client;
    client.on('error', () => {}); // its end is what counts
    client.on('message', (channel: string, text: string) => this.#listening.channels.get(channel)?.(text));
    await client.connect();
    await client.subscribe(...this.#listening.channels.keys());
    if (this.#closed) return client.disconnect();
    client.once('end', () => this.#lost());
    this.#attempt = 0;
    this.#up = true;
    this.#probe(client);
  }

  #probe(client: Redis): void {
    this.#timer = setTimeout(() => {
      client.ping().then(
        () => this.#up && this.#client === client && this.#probe(client),
        () => client.disconnect(),
      );
    }, PROBE_MS);
  }

  #lost(): void {
    if (this.#closed) return;
    this.#up = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#again(), retryDelay(this.#attempt + 1));
  }

  async #again(): Promise<void> {
    try {
      await this.#open();
      if (this.#up) this.#listening.reconnected();
    } catch {
      this.#client?.disconnect();
      this.#lost();
    }
  }
}
