/** The shared store and the prefix of its keys. */
export interface RedisOptions {
  /**
   * `host:port`, `redis://`, `rediss://`, `tcp://`, `unix://`, `redis+sentinel://host:port,host:port/<master>` or
   * `redis+cluster://host:port,host:port`, with credentials and database unless other options have them.
   */
  readonly address: string;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: {
    readonly enabled?: boolean;
    /** PEM file of the certificates to trust instead of the system's. */
    readonly caFile?: string;
    readonly serverName?: string;
    readonly insecureSkipVerify?: boolean;
  };
  /** Default `msg`. */
  readonly keyPrefix?: string;
  /** Further stores: streams and presence are spread over all of them. Same list and order on all nodes. */
  readonly shards?: readonly string[];
  /** Partitions of sharded PUB/SUB, on clusters of Redis 7 or newer, at most 1024. Same on all nodes; default 0, off. */
  readonly shardedPubSubPartitions?: number;
}
