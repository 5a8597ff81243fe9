import { MIN_RETENTION_MS } from '@msg/server/internal';
import { inRedis, inRetryDelay, inServer } from '../constant-source.ts';
import { engine, redis, server } from '../evidence.ts';
import type { LimitRow } from './row.ts';

const STORE_FAILURES = 'stores/redis/failures.slow';

/** Rows of the shared store, dead letters, revocations and logs. */
export const STORE_LIMITS: Readonly<Record<string, LimitRow>> = {
  '[shared store](clustering.md): a new connection': {
    constants: [inRedis('CONNECT_MS'), inRetryDelay('FIRST_RETRY_MS'), inRetryDelay('LAST_RETRY_MS')],
    tests: [server(STORE_FAILURES, 'a paused server answers no request, and all of them when it continues')],
  },
  'shared store: the answer to a command': {
    constants: [inRedis('ANSWER_MS'), inRedis('SILENCE_MS')],
    tests: [redis('store', 'paused: writes may have happened, reads change nothing')],
  },
  '[shared store](clustering.md): reads of histories and of presence that one node has under way at it; of one parallel batch of the HTTP API':
    {
      constants: [
        ['packages/redis/src/store.ts', 'LARGE_AT_ONCE'],
        ['packages/redis/src/store.ts', 'TURN_MS'],
        inServer('api/batch', 'READS_AT_ONCE'),
      ],
      tests: [
        engine('redis/many-reads', 'ask the store for 16 histories at a time, and all are answered'),
        engine('redis/many-reads', 'ask the store for 16 lists of presence at a time, and all are answered'),
        server('api/batch', 'runs 16 of its %s commands at the same time, and answers all in their order'),
      ],
    },
  'shared store: the first answer at the start': {
    constants: [inServer('stores/redis/connect', 'BOOT_MS')],
    tests: [
      server('blackbox/cluster/outages', 'waits no longer than the ping may take on a store that is silent'),
    ],
  },
  'shared store: check of readiness': {
    constants: [
      inServer('stores/redis/store-health', 'CHECK_MS'),
      inServer('stores/redis/connect', 'HEALTH_MS'),
    ],
    tests: [
      server('stores/redis/store-health', 'changes when two checks in a row agree, and names the reason'),
      server('stores/redis/store-health', 'does not change with single checks that differ'),
    ],
  },
  'shared store: a new connection because it is read-only': {
    constants: [inRedis('DEMOTED_MS')],
    tests: [redis('store', 'read-only: it says so, and works again afterwards')],
  },
  'shared store: comparison of live subscriptions with registry and revocations': {
    constants: [inServer('service/background', 'RECONCILE_MS')],
    tests: [
      server(
        'blackbox/cluster/outages',
        'and was deaf meanwhile ends what was deleted and revoked when it is back',
      ),
    ],
  },
  'shared store: the record of an open channel that publishes and subscribes use without a question': {
    constants: [
      inServer('channels/registry/redis/confirmed-records', 'CONFIRMED_MS'),
      inServer('channels/registry/redis/confirmed-records', 'CAPACITY'),
      inServer('channels/registry/redis/confirmed-records', 'KEEP_MS'),
    ],
    tests: [
      server(
        'channels/registry/cached-state',
        'from the events of other nodes refuses what begins a second after a close',
      ),
    ],
  },
  'claim of a dead letter whose replaying node died': {
    constants: [inServer('notify/dead-letters/redis/queue', 'CLAIM_MS')],
    tests: [
      server(
        'notify/dead-letters/redis',
        'a claim is kept alive by its holder, and free when the holder is gone',
      ),
    ],
  },
  'one post of a webhook, name resolution included': {
    constants: [inServer('notify/sinks/http/http-post', 'HTTP_TIMEOUT_MS')],
    tests: [
      server('notify/sinks/webhook', 'whose host is not resolved within 10 s is given up'),
      server('notify/sinks/webhook', 'because there is no answer for 10 s'),
    ],
  },
  'one [push message](web-push.md), as JSON': {
    constants: [['packages/server/src/notify/sinks/webpush/encryption.ts', 'MAX_PLAINTEXT_BYTES', 3993]],
    tests: [
      server('notify/sinks/webpush/encryption', 'has at most 4,096 bytes, with a text of 3,993'),
      server(
        'notify/sinks/webpush/sink',
        'of one byte too many is refused with both numbers, and nothing is sent',
      ),
    ],
  },
  'the endpoint of a push subscription': {
    constants: [inServer('notify/sinks/webpush/recipient', 'MAX_ENDPOINT_LENGTH')],
    tests: [server('notify/sinks/webpush/recipient', 'is refused: %#')],
  },
  'connections to one push service; the wait for one': {
    constants: [
      inServer('notify/sinks/webpush/push-fetch', 'MAX_CONNECTIONS'),
      inServer('notify/sinks/webpush/push-services', 'TURN_MS'),
    ],
    tests: [
      server(
        'notify/sinks/webpush/sink',
        'goes over connections that are used again, at most fifty to one service',
      ),
      server(
        'notify/sinks/webpush/sink',
        'a message that finds no free connection for a minute may be tried again',
      ),
    ],
  },
  'the wait that a push service asks for': {
    constants: [inServer('notify/sinks/webpush/sink', 'MAX_RETRY_AFTER_SECONDS')],
    tests: [server('notify/sinks/webpush/sink', '429 with a wait of more than a minute is not waited for')],
  },
  'dead letters of one sink': {
    constants: [inServer('notify/dead-letters/memory', 'DEAD_LETTERS_PER_SINK')],
    tests: [
      server('notify/dead-letters/memory', 'it keeps 10 000 letters per sink'),
      [
        'packages/server/src/testing/dead-letter-contract.ts',
        'a full sink drops its oldest letters, and only its own',
      ],
    ],
  },
  'requests that wait on a connection for the answer to one before them': {
    constants: [inServer('http/pipelining', 'MAX_WAITING_REQUESTS')],
    tests: [
      server('http/pipelining', 'are answered in their order, a hundred behind the first'),
      server('http/pipelining', 'end the connection when they are more'),
    ],
  },
  'memory of a revocation': {
    constants: [['auth/tokens/revocation/revocations', 'MIN_RETENTION_MS', MIN_RETENTION_MS]],
    tests: [
      server(
        'auth/tokens/revocation/revocations',
        'a revocation outlives every management token, also one of a boot that lives longer',
      ),
    ],
  },
  'a revocation by another node of the shared store': {
    constants: [
      inServer('auth/tokens/revocation/bearer-revocation', 'MAX_AGE_MS'),
      inServer('auth/tokens/revocation/bearer-revocation', 'CAPACITY'),
    ],
    tests: [
      server(
        'auth/tokens/revocation/bearer-revocation',
        'an answer is good for four seconds, so a revocation of another node counts within five',
      ),
      server(
        'auth/tokens/revocation/bearer-revocation',
        'as many bearers are remembered as are of use, the oldest answers go',
      ),
    ],
  },
  'lines of `security.log`': {
    constants: [inServer('auth/tokens/security-log/log', 'MIN_LINES')],
    tests: [
      server(
        'auth/tokens/security-log/log',
        'in use it is compacted when it has twice the lines that are of use',
      ),
    ],
  },
};
