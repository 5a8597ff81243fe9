import { DEFAULT_LIMITS } from '@msg/engine';
import { MIN_RETENTION_MS } from '../../packages/server/src/auth/tokens/revocation/revocations.ts';
import { inEngine, inRedis, inRetryDelay, inServer, inTwirp, limit, type Source } from './constant-source.ts';
import { attacks, dash, type Evidence, engine, redis, server } from './evidence.ts';

/** What a row of docs/limits.md rests on. */
export interface LimitRow {
  readonly constants: readonly Source[];
  readonly tests: readonly Evidence[];
}

const STORE_FAILURES = 'stores/redis/failures.slow';

/** Each row of docs/limits.md by its first cell: the constants that it shows and the tests of what it says. */
export const LIMITS: Readonly<Record<string, LimitRow>> = {
  'proposals that one `dashdoc serve` keeps': {
    constants: ['MAX_PROPOSALS', 'MAX_PROPOSAL_BYTES', 'MAX_TOTAL_BYTES'].map(name => [
      'packages/dash/src/proposals/proposal-list.ts',
      name,
    ]),
    tests: [
      dash(
        'proposals/proposal-list',
        'are at most 200: decided ones give way, the oldest first, open ones never',
      ),
      dash('proposals/proposal-list', 'hold at most 1 MiB each and 64 MiB together'),
    ],
  },
  'operations of a changeset that leads back': {
    constants: [
      ['packages/dash/src/changeset/undo.ts', 'MOST_OPERATIONS'],
      ['packages/dash/src/changeset/undo.ts', 'MOST_BYTES'],
    ],
    tests: [dash('changeset/undo', 'replaces root and scopes whole above %s')],
  },
  'replies waiting for a slow reader': {
    constants: [
      ['packages/engine/src/session/write-queue.ts', 'share of queueBytes', DEFAULT_LIMITS.queueBytes / 32],
    ],
    tests: [
      engine('slow-consumer', 'gets no further command executed once 32 KiB of them wait for the socket'),
    ],
  },
  'publications of one `history` command (`limits.history_items`)': {
    constants: limit('historyItems'),
    tests: [engine('slow-consumer', 'is 1,000 by default, and does not cut a recovery')],
  },
  'own memory of a history or recovery reply above 16 KiB': {
    constants: [inEngine('replies/encoded-run', 'COPIED_PIECE_BYTES')],
    tests: [
      engine('blackbox/unread/unread-replies', 'hold next to nothing, with streams in the process'),
      engine('blackbox/unread/unread-replies', 'hold next to nothing, with streams in Redis'),
    ],
  },
  'encoded publications of all history and recovery replies above 16 KiB on their way, and presence and RPC replies above 16 KiB that wait for their readers (`replyBytes`)':
    {
      constants: limit('replyBytes'),
      tests: [
        engine(
          'slow-consumer',
          'get error 111 before the work while those of others take all memory they may have',
        ),
        engine('slow-consumer', 'get error 111 while the windows of others take all memory they may have'),
      ],
    },
  'queued bytes after the end of a connection': {
    constants: [inEngine('session/message-writer', 'FINISH_MS')],
    tests: [
      engine('slow-consumer', 'is dropped with a connection that was disconnected and takes nothing more'),
    ],
  },
  '[`/sse`](transports.md#the-debug-stream): events waiting for a slow reader': {
    constants: [inServer('http/debug-stream', 'MAX_WAITING_BYTES')],
    tests: [
      server('http/debug-stream', 'by being cut when a reader takes nothing and more than 1 MiB waits'),
      server('http/debug-stream', 'a publication of several MiB, live and again from the history'),
    ],
  },
  '`/sse`: history that one reader holds': {
    constants: [inServer('realtime/channel-reader', 'PAGE')],
    tests: [server('http/debug-stream', 'a history larger than the write buffer, to a reader that pauses')],
  },
  '`/sse`: a reader that takes nothing of what waits': {
    constants: [inServer('http/event-writer', 'KEEP_ALIVE_MS')],
    tests: [
      server('http/debug-stream', 'by being cut when a reader of the history takes nothing for 15 seconds'),
    ],
  },
  'one incoming message, one frame of commands': {
    constants: limit('messageBytes'),
    tests: [engine('websocket', 'closes with 1009 on a message above 64 KiB')],
  },
  'publications of one PublishMany, channels of one Broadcast': {
    constants: [['packages/core/src/rpc/publication.ts', 'MAX_PUBLICATIONS']],
    tests: [server('publishing/publish-many', 'are 1 to 1,000')],
  },
  'RPC request body': {
    constants: [inTwirp('MAX_BODY_BYTES'), inTwirp('MAX_PUBLIC_BODY_BYTES')],
    tests: [server('http/request-bodies', 'public methods read 16 KiB, others 4 MiB')],
  },
  'HTTP API request body': {
    constants: [inTwirp('MAX_BODY_BYTES')],
    tests: [server('blackbox/api', 'are refused by status for %s')],
  },
  'commands of a batch (`api.max_batch`)': {
    constants: [inServer('api/options', 'maxBatch')],
    tests: [server('blackbox/api', '%s %j fails with %d')],
  },
  'channels of one broadcast of the HTTP API': {
    constants: [inServer('api/commands/publish', 'MAX_BROADCAST')],
    tests: [server('blackbox/api', '%s %j fails with %d')],
  },
  'channels that one answer of the HTTP API lists (`api.max_channels`)': {
    constants: [inServer('api/options', 'maxChannels')],
    tests: [server('realtime/cluster-view', 'are not listed when there are more than were asked for')],
  },
  'pattern of the command `channels`': {
    constants: [
      inServer('realtime/name-pattern', 'MAX_BYTES'),
      inServer('realtime/name-pattern', 'MAX_ALTERNATIVES'),
    ],
    tests: [server('realtime/name-pattern', '%s is refused')],
  },
  'secrets of one API key at a time': {
    constants: [inServer('auth/api-keys/secret', 'MAX_SECRETS')],
    tests: [
      server(
        'auth/api-keys/changes',
        'rotates: the secrets before it end after the overlap, at most three count at a time',
      ),
    ],
  },
  'JSON of an RPC': {
    constants: [
      inServer('http/json-bounds', 'MAX_JSON_LEVELS'),
      inServer('http/json-bounds', 'MAX_JSON_MEMBERS'),
    ],
    tests: [server('http/request-bodies', 'beyond is malformed')],
  },
  'body of a POST to HTTP streaming, SSE, emulation': {
    constants: limit('messageBytes'),
    tests: [
      engine(
        'transports/http/unread-requests',
        'that is announced as too large is 413 before a byte of it is read',
      ),
    ],
  },
  'memory of all request bodies under way, from their first byte to the answer (`limits.body_bytes`)': {
    constants: limit('bodyBytes'),
    tests: [
      engine(
        'transports/http/request-bodies',
        'hold no more than the budget together; the next byte is refused, and room is room again',
      ),
      engine('transports/http/request-bodies', 'without a credential get half of it'),
      engine('transports/http/request-bodies', 'leave a sixteenth to those that come whole, %s a credential'),
    ],
  },
  'a whole HTTP request': {
    constants: [...limit('bodyMs'), inServer('http/timeouts', 'headersTimeout')],
    tests: [server('http/request-bodies', 'that is not whole after 15 s is 408'), attacks('drip')],
  },
  'what is read of a request that was answered before its end': {
    constants: [inEngine('transports/http/unread', 'LINGER_MS')],
    tests: [
      server('http/request-bodies', 'nothing of a body is read: %s'),
      engine(
        'transports/http/unread-requests',
        'from a foreign origin is 403, and what else comes is not read',
      ),
      engine(
        'transports/http/unread-requests',
        'that is refused keeps nothing of what arrived with its head',
      ),
    ],
  },
  'an HTTP connection of `serve` between two requests': {
    constants: [inServer('http/idle-connections', 'KEEP_ALIVE_MS')],
    tests: [
      server('http/idle-connections', 'is closed after its time'),
      server(
        'http/idle-connections',
        'is not closed when its time ends in a turn that is too long to read the request that has arrived',
      ),
    ],
  },
  'a path, or the claimed subject of a token, in a log record': {
    constants: [inServer('http/access-log', 'MAX_SHOWN_BYTES')],
    tests: [
      server('http/access-log', 'is cut at 1 KiB'),
      server('http/access-log', 'has no more than that of a subject that a token claims'),
    ],
  },
  'channel name': {
    constants: limit('channelNameBytes'),
    tests: [engine('websocket', 'refuses the 129th channel with 106 and a name of 256 bytes with 107')],
  },
  'subscriptions of one connection, with those that [wait for their channel](channels.md)': {
    constants: limit('channelsPerClient'),
    tests: [
      engine('websocket', 'refuses the 129th channel with 106 and a name of 256 bytes with 107'),
      engine('waiting', 'counts towards the limit of subscriptions, each channel once'),
    ],
  },
  'declared channels that one user, or one address without a user, opens by using them': {
    constants: [
      ['packages/server/src/rate-limits/rate-limits.ts', 'rate'],
      ['packages/server/src/rate-limits/rate-limits.ts', 'burst'],
    ],
    tests: [
      server(
        'blackbox/declared-channels',
        'what one client opens is limited; channels that are open are not',
      ),
    ],
  },
  'a waiting subscription that its client does not retry': {
    constants: [inEngine('session/waiting-channels', 'RETRY_WINDOW_MS')],
    tests: [engine('waiting', 'is dropped when the client has not retried for a minute')],
  },
  'pushes waiting for a slow reader': {
    constants: limit('queueBytes'),
    tests: [
      engine(
        'slow-consumer',
        'is cut with 3008 when more than 1 MiB waits for it, and other readers do not notice',
      ),
    ],
  },
  'bytes waiting for a reader of volatile publications': {
    constants: limit('volatileQueueBytes'),
    tests: [
      engine(
        'slow-consumer',
        'misses volatile publications above 64 KiB instead of being cut, and nothing else',
      ),
    ],
  },
  'a write without any progress': {
    constants: limit('writeStallMs'),
    tests: [engine('slow-consumer', 'is cut with 3009 when it takes nothing for a second')],
  },
  'chunks of a request body in the chunked transfer coding': {
    constants: [
      inEngine('transports/http/chunk-limit', 'FREE_CHUNKS'),
      inEngine('transports/http/chunk-limit', 'CHUNK_BYTES'),
    ],
    tests: [
      engine(
        'transports/http/request-bodies',
        'that comes in more than 256 chunks below 256 bytes on average is refused, and no more is kept',
      ),
    ],
  },
  'commands of one connection without a pause': {
    constants: [inEngine('session/command-queue', 'COMMANDS_PER_TURN')],
    tests: [
      engine(
        'transports/websocket/turns',
        'has a bounded number of commands executed, in one frame or in many',
      ),
    ],
  },
  'read from one WebSocket, or of one request body, without a pause': {
    constants: [
      inEngine('transports/websocket/connection', 'READ_TURN_BYTES'),
      inEngine('transports/http/body-reader', 'READ_TURN_BYTES'),
    ],
    tests: [
      engine('transports/websocket/turns', 'is read from once, however much it has sent'),
      engine('transports/http/request-bodies', 'of many pieces is read in turns with everything else'),
    ],
  },
  'WebSocket upgrades begun together': {
    constants: [inEngine('transports/websocket/upgrade-turns', 'UPGRADES_PER_TURN')],
    tests: [engine('transports/websocket/turns', 'become connections in turns')],
  },
  'pieces of long history and recovery replies, of all connections together, without a pause': {
    constants: [inEngine('session/reply-turns', 'REPLY_TURN_BYTES')],
    tests: [
      engine('session/reply-turns', 'write so many bytes in one turn, and the rest in the next ones'),
      engine(
        'session/reply-turns',
        'are written piece by piece in turns, so that a short one does not wait for long ones',
      ),
    ],
  },
  'WebSocket pings of a peer that wait for a pong; those that arrive together get one': {
    constants: [inEngine('transports/websocket/connection', 'MAX_WAITING_PINGS')],
    tests: [
      engine('transports/websocket/turns', 'is cut for more than 60 pings'),
      engine('transports/websocket/turns', 'gets one pong for all of its pings'),
    ],
  },
  'commands waiting for a slow one': {
    constants: limit('backlogBytes'),
    tests: [
      engine(
        'lifecycle',
        'wait in a bounded backlog: beyond it the socket is not read, and a pong still counts',
      ),
    ],
  },
  'publications arriving during one subscribe': {
    constants: limit('subscribeBuffer'),
    tests: [engine('interleaving', 'more than the buffer holds end it with 3010')],
  },
  'from open socket to connect': {
    constants: limit('staleMs'),
    tests: [engine('websocket', 'ends with 3502 when no connect succeeds within 15 s')],
  },
  'connections of clients on one node': {
    constants: limit('connections'),
    tests: [
      server('blackbox/service-settings', 'beyond those of a node get 503, and one that ends makes room'),
    ],
  },
  'connections of one client address on one node': {
    constants: limit('connectionsPerAddress'),
    tests: [server('blackbox/service-settings', 'beyond those of an address end with 3504')],
  },
  'server ping': {
    constants: limit('pingMs'),
    tests: [engine('wall-clock', 'connections are pinged, and silent ones end')],
  },
  pong: {
    constants: limit('pongMs'),
    tests: [
      engine(
        'websocket',
        'ends with 3012 when a ping stays without pong, and with 3501 on a second pong for one ping',
      ),
    ],
  },
  "comparison of a quiet channel's position with its stream": {
    constants: limit('positionCheckMs'),
    tests: [engine('wall-clock', 'positions of quiet channels are compared with the stream')],
  },
  'grace after the expiry of a connection or subscription': {
    constants: limit('expiryGraceMs'),
    tests: [
      engine(
        'lifecycle',
        'is announced, extended by refresh with the client id, and ends with 3005 after the grace',
      ),
      engine(
        'lifecycle',
        'of a subscription is extended by sub_refresh, and ends it with 2501 after the grace',
      ),
    ],
  },
  'tags filter': {
    constants: [inEngine('delivery/tags-filter', 'MAX_DEPTH'), inEngine('delivery/tags-filter', 'MAX_NODES')],
    tests: [engine('delivery/tags-filter', 'takes 8 levels and 64 nodes')],
  },
  'payload for a delta': {
    constants: [['packages/protocol/src/delta/patch.ts', 'DELTA_BYTES']],
    tests: [['packages/protocol/test/delta/delta.test.ts', 'no patch above the size ceiling']],
  },
  'answer to a close frame': {
    constants: [inEngine('transports/websocket/websocket', 'CLOSE_HANDSHAKE_MS')],
    tests: [
      engine(
        'transports/websocket/handshake',
        'drops the connection of a peer that does not answer a close frame',
      ),
    ],
  },
  shutdown: {
    constants: [inServer('http/timeouts', 'SHUTDOWN_GRACE_MS')],
    tests: [server('blackbox/drain', 'a stop waits no longer than its grace for peers that stay')],
  },
  '[shared store](clustering.md): a new connection': {
    constants: [inRedis('CONNECT_MS'), inRetryDelay('FIRST_RETRY_MS'), inRetryDelay('LAST_RETRY_MS')],
    tests: [server(STORE_FAILURES, 'a paused server answers no request, and all of them when it continues')],
  },
  'shared store: the answer to a command': {
    constants: [inRedis('ANSWER_MS'), inRedis('SILENCE_MS')],
    tests: [redis('store', 'paused: writes may have happened, reads change nothing')],
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
