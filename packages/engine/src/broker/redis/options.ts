import type { Clock, Random } from '@msg/foundation/clock';
import type { RedisStore } from '@msg/redis';

/** Options of a broker on Redis. */
export interface RedisBrokerOptions {
  readonly store: RedisStore;
  /** Prefix of every key and PUB/SUB channel, such as `msg:b:1`. */
  readonly prefix: string;
  /** Partitions of sharded PUB/SUB, on a cluster; default 0, off. */
  readonly partitions?: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each message that cannot be decoded. */
  readonly onError: (error: unknown) => void;
}
