import {
  count,
  oneOf,
  path,
  readScalar,
  requireList,
  SCALAR,
  type Setting,
  type SettingType,
  scalarType,
  secret,
  text,
  toggle,
  wholeNumber,
} from '@msg/command-line';

/** An address without the credentials it may carry. */
function withoutCredentials(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//[redacted]@');
}

/** Where a store listens; its form is checked when the service is put together. */
const address: SettingType<string> = scalarType({
  placeholder: 'address',
  parse: value => value.trim(),
  format: value => value,
  show: withoutCredentials,
  expected: 'an address',
});

const addresses: SettingType<readonly string[]> = {
  placeholder: 'list',
  parse: () => undefined,
  read: value => requireList(value).items.map(item => readScalar(address, item)),
  format: value => value.join(', '),
  show: value => value.map(withoutCredentials),
  expected: 'a list in a file',
  schema: { type: 'array', items: SCALAR },
};

/** A database number that may be absent, which is not the same as 0. */
const database: SettingType<number | undefined> = scalarType<number | undefined>({
  placeholder: 'n',
  parse: value => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
  format: value => (value === undefined ? '' : String(value)),
  show: value => value ?? null,
  expected: 'a whole number from 0 to 999999999',
  schema: wholeNumber(0, 999_999_999, 9),
});

/** Part of every key; braces would change how a cluster distributes keys. */
const prefix: SettingType<string> = scalarType({
  placeholder: 'text',
  parse: value => (/^[\w.:-]{1,100}$/.test(value) ? value : undefined),
  format: value => value,
  expected: 'at most 100 letters, digits, _ . : and -',
  schema: oneOf({ type: 'number' }, { type: 'string', pattern: '^[\\w.:-]{1,100}$' }),
});

/** Where the shared store is; the offline key commands read these two from flags only. */
export const REDIS_ADDRESS = {
  redisAddr: {
    key: 'redis.addr',
    flag: '--redis-addr',
    env: 'MSG_REDIS_ADDR',
    type: address,
    fallback: '',
    help: 'shared store: host:port, redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://; empty: a single node',
  } satisfies Setting<string>,
  redisKeyPrefix: {
    key: 'redis.key_prefix',
    flag: '--redis-key-prefix',
    env: 'MSG_REDIS_KEY_PREFIX',
    type: prefix,
    fallback: 'msg',
    help: 'begin of every key in the shared store; services with different ones do not see each other',
  } satisfies Setting<string>,
} as const;

/** The shared store of `serve` (messaging details, section 17). */
export const REDIS_SETTINGS = {
  ...REDIS_ADDRESS,
  nodeId: {
    key: 'redis.node_id',
    type: text,
    fallback: '',
    help: 'name of this node among the others, unique; empty: generated at every start',
  } satisfies Setting<string>,
  redisUsername: {
    key: 'redis.username',
    type: text,
    fallback: '',
    help: 'user of the shared store; overrides the one in the address',
  } satisfies Setting<string>,
  redisPassword: {
    key: 'redis.password',
    type: secret,
    fallback: '',
    help: 'password of the shared store; overrides the one in the address',
  } satisfies Setting<string>,
  redisDb: {
    key: 'redis.db',
    type: database,
    fallback: undefined,
    help: 'database number; absent: as the address says; a cluster has only 0',
  } satisfies Setting<number | undefined>,
  redisTls: {
    key: 'redis.tls.enabled',
    type: toggle,
    fallback: false,
    help: 'TLS to the shared store, also where the address does not say rediss://',
  } satisfies Setting<boolean>,
  redisCaFile: {
    key: 'redis.tls.ca_file',
    type: path,
    fallback: '',
    help: 'certificates to trust instead of the system’s, PEM',
  } satisfies Setting<string>,
  redisServerName: {
    key: 'redis.tls.server_name',
    type: text,
    fallback: '',
    help: 'name the certificate must have; empty: the host of the address',
  } satisfies Setting<string>,
  redisSkipVerify: {
    key: 'redis.tls.insecure_skip_verify',
    type: toggle,
    fallback: false,
    help: 'accept any certificate; for tests only',
  } satisfies Setting<boolean>,
  redisShards: {
    key: 'redis.shards',
    type: addresses,
    fallback: [],
    help: 'further stores; streams and presence are spread over redis.addr and these by channel. Same list and order on all nodes',
  } satisfies Setting<readonly string[]>,
  shardedPubSubPartitions: {
    key: 'redis.sharded_pubsub_partitions',
    type: count,
    fallback: 0,
    help: 'partitions of sharded PUB/SUB, on a cluster of Redis 7 or newer, at most 1024; 0: off. Same on all nodes, changed only while all are stopped',
  } satisfies Setting<number>,
} as const;
