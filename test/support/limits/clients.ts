import { DEFAULT_LIMITS } from '@msg/engine';
import { inEngine, inServer, limit } from '../constant-source.ts';
import { engine, server } from '../evidence.ts';
import type { LimitRow } from './row.ts';

/** Rows of clients and their connections. */
export const CLIENT_LIMITS: Readonly<Record<string, LimitRow>> = {
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
  'connections of clients on one node, on all its [threads](threads.md)': {
    constants: limit('connections'),
    tests: [
      server('blackbox/service-settings', 'beyond those of a node get 503, and one that ends makes room'),
      server(
        'threads/blackbox/process-limits',
        'limits.%s are those of the process, also after connections and a thread have ended',
      ),
    ],
  },
  'connections of one client address on one node, on all its threads': {
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
    constants: [inEngine('transports/websocket/connection', 'CLOSE_HANDSHAKE_MS')],
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
};
