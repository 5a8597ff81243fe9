import { count, path, type SettingType, scalarType, secret, setting, text, toggle } from '@msg/command-line';
import { oneOf, readScalar, requireList, SCALAR, wholeNumber } from '@msg/command-line/internal';

/** An address without its credentials. */
function withoutCredentials(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//[redacted]@');
}

/** The address of a store; the start checks its form. */
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

/** The address of the shared store; the offline key commands read these two settings from flags only. */
export const REDIS_ADDRESS = {
  redisAddr: setting(
    'redis.addr',
    address,
    '',
    'shared store: host:port, redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://; empty: a single node',
    { flag: '--redis-addr', env: 'MSG_REDIS_ADDR' },
  ),
  redisKeyPrefix: setting(
    'redis.key_prefix',
    prefix,
    'msg',
    'begin of every key in the shared store; services with different ones do not see each other',
    { flag: '--redis-key-prefix', env: 'MSG_REDIS_KEY_PREFIX' },
  ),
} as const;

/** The shared store of `serve` (messaging details, section 17). */
export const REDIS_SETTINGS = {
  ...REDIS_ADDRESS,
  nodeId: setting(
    'redis.node_id',
    text,
    '',
    'name of this node among the others, unique; empty: generated at every start',
  ),
  redisUsername: setting(
    'redis.username',
    text,
    '',
    'user of the shared store; overrides the one in the address',
  ),
  redisPassword: setting(
    'redis.password',
    secret,
    '',
    'password of the shared store; overrides the one in the address',
  ),
  redisDb: setting(
    'redis.db',
    database,
    undefined,
    'database number; absent: as the address says; a cluster has only 0',
  ),
  redisTls: setting(
    'redis.tls.enabled',
    toggle,
    false,
    'TLS to the shared store, also where the address does not say rediss://',
  ),
  redisCaFile: setting('redis.tls.ca_file', path, '', 'certificates to trust instead of the system’s, PEM'),
  redisServerName: setting(
    'redis.tls.server_name',
    text,
    '',
    'name the certificate must have; empty: the host of the address',
  ),
  redisSkipVerify: setting(
    'redis.tls.insecure_skip_verify',
    toggle,
    false,
    'accept any certificate; for tests only',
  ),
  redisShards: setting(
    'redis.shards',
    addresses,
    [],
    'further stores; streams and presence are spread over redis.addr and these by channel. Same list and order on all nodes',
  ),
  shardedPubSubPartitions: setting(
    'redis.sharded_pubsub_partitions',
    count,
    0,
    'partitions of sharded PUB/SUB, on a cluster of Redis 7 or newer, at most 1024; 0: off. Same on all nodes, changed only while all are stopped',
  ),
} as const;
