import type { Kernel } from '../../kernel/kernel.ts';
import { type Persistence, RedisServer } from '../../redis/server.ts';
import { StreamTruth } from './stream-truth.ts';

export const STORE_HOST = 'redis';
const STORE_PORT = 6379;
export const STORE_ADDRESS = `${STORE_HOST}:${STORE_PORT}`;

/** The one Redis of the world, with the truth of its streams. */
export class Store {
  readonly server: RedisServer;
  readonly truth: StreamTruth;

  constructor(kernel: Kernel) {
    this.truth = new StreamTruth(kernel);
    this.server = new RedisServer(kernel, {
      name: 'redis',
      host: STORE_HOST,
      port: STORE_PORT,
      written: write => this.truth.written(write),
    });
    this.server.startAt(0);
  }

  /** Kills its process, which starts again with what its disk has. */
  kill(afterMs: number, loadingMs: number, persistence: Exclude<Persistence, 'everysec'>): void {
    this.server.restart({ afterMs, loadingMs, persistence });
    if (persistence === 'no') this.truth.wiped();
  }

  /** An operator empties it. */
  flush(): void {
    this.server.operate('FLUSHALL');
    this.truth.wiped();
  }
}
