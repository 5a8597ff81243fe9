import { inEngine, inServer, inTwirp, limit } from '../constant-source.ts';
import { attacks, engine, server } from '../evidence.ts';
import type { LimitRow } from './row.ts';

/** Rows of HTTP requests and their answers. */
export const HTTP_LIMITS: Readonly<Record<string, LimitRow>> = {
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
  'replies of one batch of the HTTP API': {
    constants: [inServer('api/batch', 'READ_BYTES')],
    tests: [server('api/batch', 'reads no more than 16 MiB and what is under way, parallel: %s')],
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
};
