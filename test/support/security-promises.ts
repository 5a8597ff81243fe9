import { attacks, console, dash, type Evidence, engine, PRIVATE_URLS, patterns, server } from './evidence.ts';

/** Each sentence of SECURITY.md's promises, word for word, and the tests that show it. */
export const PROMISES: Readonly<Record<string, readonly Evidence[]>> = {
  'Asking and not reading costs the asker more than the service: a long history or recovery reply is encoded once for all who get it, and a connection holds its position in it; 1,000 peers that ask for 5 MiB each and read nothing add less than 64 MiB.':
    [
      engine('blackbox/unread/unread-replies', 'hold next to nothing, with streams in the process'),
      engine('blackbox/unread/unread-replies', 'hold next to nothing, with streams in Redis'),
      engine(
        'replies/shared-reply',
        'is one encoding of the stream for all who ask for it from different places on',
      ),
    ],
  'Who takes nothing for a second is cut.': [
    engine('slow-consumer', 'is cut with 3009 when it takes nothing for a second'),
    engine('slow-consumer', 'is dropped with a peer that takes nothing for a second'),
  ],
  'Management calls need a bearer token; `--no-auth` removes that and is for development only.': [
    server('blackbox/rpc', 'every method but the public ones wants a management bearer'),
    server('blackbox/rpc', '--no-auth opens the management RPC and says so'),
  ],
  'Access to private channels is decided at subscribe time from signed tokens; a public channel is open to anyone who knows its name.':
    [
      server('blackbox/subscribe-access', 'a private subscribe: which tokens open it'),
      server(
        'blackbox/subscribe-access',
        'a public subscribe needs no token; presence counts it while it lives',
      ),
    ],
  // Every black-box server is searched for both when it stops: `expectNoSecrets` of packages/server/test/support.
  'Tokens and payloads are never logged.': [
    server(
      'blackbox/surface',
      'each request leaves one record; the id is echoed, the query and the token are not there',
    ),
  ],
  'No publication ends the connection of those who receive it, whatever its bytes are: payloads that are not UTF-8 reach JSON clients [as base64](docs/delivery.md#payloads).':
    [
      [
        'test/any-bytes.test.ts',
        'sequences of up to two bytes, half surrogates, noise: live, recovered, history, /sse',
      ],
      ['test/any-bytes.test.ts', 'subscriptions with deltas'],
      ['test/any-bytes.test.ts', 'the latest value of a cache'],
    ],
  'What was revoked stays refused, over a restart and on every node: access, refresh and management tokens by id or by subject, and refresh tokens that were used.':
    [
      server(
        'blackbox/security-log',
        'revoked tokens, users, families and management bearers, redeemed refresh tokens',
      ),
      server(
        'blackbox/cluster/two-nodes',
        'a management bearer revoked on one is refused by the other within 5 s, and by a node that starts later',
      ),
      server(
        'blackbox/cluster/two-nodes',
        'a refresh token works once over both nodes, and its reuse kills the family on both',
      ),
    ],
  'A node that cannot remember it takes no token issued before it started; see [permissions](docs/permissions.md#revocation).':
    [server('embedding', 'tokens of before are expired, so that clients ask for new ones')],
  'Key material and the ids of revoked tokens are written to files of mode 0600 in a directory of mode 0700.':
    [
      server('blackbox/keys', 'is created 0600 in a directory 0700, and keeps tokens valid over a restart'),
      server(
        'auth/tokens/security-log/log',
        'is made 0600, also where it was there with other rights; no other file stays',
      ),
    ],
  'Headers and signature of a webhook sink go to its configured origin and to its `allowed_origins` only.': [
    server('notify/sinks/webhook', 'of another origin carries the message and nothing else'),
  ],
  'A URL that a caller names elsewhere must have public addresses, is resolved once, and gets the message alone; see [sinks](docs/sinks.md#where-webhooks-may-go).':
    [
      server('blackbox/sinks', PRIVATE_URLS),
      server('notify/sinks/public-fetch', 'goes to the address that was checked: the host is resolved once'),
    ],
  '`--private-sink-urls` permits private networks.': [
    server('blackbox/sinks', 'with --private-sink-urls posts there, without its secrets; a replay too'),
  ],
  'No connection ends the process, whatever its peer does: a test resets it at every stage of every route, and ends WebTransport sessions with errors of QUIC.':
    [
      server('blackbox/resets', '%s, reset %s'),
      engine('blackbox/webtransport', 'that a peer ends by an error of QUIC ends nothing else'),
      attacks('reset'),
    ],
  'What a client sends is bounded: 64 KiB per message, 128 channels per connection, 1 MiB waiting for a slow reader, 15 seconds to connect.':
    [
      engine('websocket', 'closes with 1009 on a message above 64 KiB'),
      engine('websocket', 'refuses the 129th channel with 106 and a name of 256 bytes with 107'),
      engine(
        'slow-consumer',
        'is cut with 3008 when more than 1 MiB waits for it, and other readers do not notice',
      ),
      engine('websocket', 'ends with 3502 when no connect succeeds within 15 s'),
    ],
  'Nothing large is read before the credential: the bearer is decided about from the headers alone.': [
    server('http/request-bodies', 'nothing of a body is read: %s'),
  ],
  'Without one a request body has at most 64 KiB, 16 KiB on the RPC; with one 4 MiB.': [
    server('http/request-bodies', 'public methods read 16 KiB, others 4 MiB'),
    engine(
      'transports/http/unread-requests',
      'that is announced as too large is 413 before a byte of it is read',
    ),
  ],
  'All bodies under way hold at most 64 MiB together, those of requests without a credential half of that; bodies that never end shut out none that comes whole in one piece.':
    [
      engine(
        'transports/http/request-bodies',
        'hold no more than the budget together; the next byte is refused, and room is room again',
      ),
      engine('transports/http/request-bodies', 'without a credential get half of it'),
      engine('transports/http/request-bodies', 'leave a sixteenth to those that come whole, %s a credential'),
    ],
  'A request has 15 seconds.': [server('http/request-bodies', 'that is not whole after 15 s is 408')],
  'JSON deeper than 64 levels, or with more than 10,000 members in one object, is not parsed.': [
    server('http/request-bodies', 'may be 64 levels deep and have 10,000 members per object'),
    server('http/request-bodies', 'beyond is malformed'),
  ],
  "The address that rate limits and logs go by is never the client's own word: behind `observability.trusted_proxies` it is the rightmost entry of `X-Forwarded-For` or `Forwarded` that is not one of them.":
    [
      server('http/client-address', '%s with %s is %s'),
      server('http/client-address', 'Forwarded: %s means %s'),
    ],
  'A service that listens on a loopback address answers to loopback names only: a web page whose name was rebound to 127.0.0.1 gets 403.':
    [
      server(
        'http/hosts',
        'answers to loopback names on a loopback address, to any elsewhere, or to those listed',
      ),
      server('http/hosts', 'to %s with a Host that is not listed is 403'),
    ],
  '`server.allowed_hosts` adds names.': [
    server(
      'http/hosts',
      'answers to loopback names on a loopback address, to any elsewhere, or to those listed',
    ),
  ],
  'A program that embeds the service lists its names in `allowedHosts`; without it, any name is taken.': [
    server('http/hosts', 'may have any Host when an application mounts the service and lists none'),
  ],
  'A request with two `Host` headers gets 400.': [server('http/hosts', 'to %s with two Host headers is 400')],
  'Text of a peer is read in linear time.': [
    patterns('$name takes linear time'),
    engine(
      'linear-scans',
      'reads each character of the text once, also where the platform compares all of a long part at each',
    ),
  ],
  'A test lists every regular expression of the packages and shows each linear that meets input of a peer; a tags filter reads each tag once.':
    [
      patterns('$name takes linear time'),
      patterns('name every pattern that the program puts together, and no other'),
    ],
  'Peers hand in no regular expressions: scopes, channel rules and registry patterns are compared segment by segment (8 segments, 255 characters).':
    [
      ['packages/core/test/scope-pattern.test.ts', 'the matcher agrees with a regular expression'],
      ['packages/core/test/channel-name.test.ts', '255 bytes are the longest name'],
    ],
  'Regular expressions of others come from the operator alone, as `pattern` in the item types that `dashdoc --schemas` loads.':
    [patterns('name only patterns that there are and that are not linear')],
  'Errors of `dashdoc` repeat at most 200 characters of any input, and its [server](docs/dash/server.md) reads 4 MiB and waits 15 seconds for a request.':
    [
      dash('echo', 'HTTP answers are short, whatever of the request is long'),
      dash('http/requests.slow', 'has 4 MiB at most, told or streamed'),
    ],
  'The [console](docs/console.md) has no password and no account.': [
    server('console/sign-in', 'refuses other tokens with what to do'),
    server('console/gateway', '%s is no session'),
  ],
  "Its page holds no credential: a cookie that scripts cannot read, over HTTPS or from this machine alone; each of its requests needs the console's own origin and header, before anything of it is read.":
    [
      console(
        'forgery.slow',
        'is in no memory of the page, storage, address, log or record after signing in',
      ),
      server('console/sign-in', 'sets a Secure cookie with the host prefix over HTTPS, locked'),
      server('console/gateway', 'gets no preflight'),
    ],
  'Sessions start locked, end with their token, key and user, and the RPC decides about each call, not the page.':
    [
      server('console/gateway', '%s is refused, and recorded'),
      server(
        'console/sign-in',
        'ends when it is signed out, when its user is revoked and when its key is retired',
      ),
      server('console/role-matrix', '%s, by a session that is unlocked'),
    ],
  'Tests let a page on another site, another port and in a frame try every path with the victim signed in: nothing changes, nothing can be read.':
    [
      console('forgery.slow', 'does nothing and reads nothing by %s'),
      console('forgery.slow', 'the console is shown in no frame, not even of its own origin'),
    ],
};
