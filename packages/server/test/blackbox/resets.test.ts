import type { MsgServer } from '@msg/testkit';
import {
  pipelined,
  type RawRequest,
  RESET_STAGES,
  type ResetRequest,
  rawRequest,
  upgradeRequest,
} from '@msg/testkit/hostile';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

/** Resets of each kind: a write of the server that meets one is a matter of chance. */
const TRIES = 12;

const CONNECT = '{"id":1,"connect":{}}';

/** One request per route and outcome; `answer` is what it is answered with while nobody disturbs it. */
const REQUESTS: Readonly<Record<string, { readonly bytes: Buffer; readonly answer: RegExp }>> = {
  'a WebSocket': { bytes: upgradeRequest(), answer: /^HTTP\/1\.1 101 / },
  'a WebSocket of a foreign origin': {
    bytes: upgradeRequest({ headers: [['Origin', 'https://foreign.example']] }),
    answer: /^HTTP\/1\.1 403 /,
  },
  'a WebSocket of an unknown version': {
    bytes: upgradeRequest({ headers: [['Sec-WebSocket-Version', '99']] }),
    answer: /^HTTP\/1\.1 400 /,
  },
  'a WebSocket on an unknown path': {
    bytes: upgradeRequest({ target: '/nowhere' }),
    answer: /^HTTP\/1\.1 404 /,
  },
  'h2c on the WebSocket path': { bytes: offered({ target: '/connection/websocket' }), answer: / 426 / },
  'h2c on a route': { bytes: offered({ target: '/healthz' }), answer: / 200 / },
  'h2c with a body': {
    bytes: offered({ method: 'POST', target: '/connection/http_stream', body: CONNECT }),
    answer: /^HTTP\/1\.1 200 [\s\S]*"connect"/,
  },
  CONNECT: { bytes: rawRequest({ method: 'CONNECT', target: 'a.example:443' }), answer: /^$/ },
  'what is not HTTP': { bytes: Buffer.from('\x16\x03\x01\r\n\r\n'), answer: /^HTTP\/1\.1 400 / },
  'an HTTP stream': post('/connection/http_stream', CONNECT, /"connect"/),
  'an SSE stream': post('/connection/sse', CONNECT, /"connect"/),
  'a refused stream': {
    bytes: rawRequest({
      method: 'POST',
      target: '/connection/http_stream',
      headers: [['Origin', 'https://foreign.example']],
      body: CONNECT,
    }),
    answer: / 403 /,
  },
  emulation: post('/emulation', '{"session":"x","node":"y","data":""}', /^HTTP\/1\.1 404 /),
  'the debug stream': get('/sse?channel=public:edge.news', / 200 /),
  'an RPC': post('/twirp/msg.MsgService/ListChannels', '{}', / 401 /),
  'a public RPC': post('/twirp/msg.MsgService/RefreshToken', '{}', / 400 /),
  'an RPC that expects 100': {
    bytes: rawRequest({
      method: 'POST',
      target: '/twirp/msg.MsgService/RefreshToken',
      headers: [
        ['Expect', '100-continue'],
        ['Content-Type', 'application/json'],
        ['Content-Length', '2'],
      ],
    }),
    answer: / 100 /,
  },
  'an unknown expectation': {
    bytes: rawRequest({ target: '/healthz', headers: [['Expect', 'miracles']] }),
    answer: / 417 /,
  },
  'the manifest': get('/manifest', / 200 /),
  metrics: get('/metrics', / 200 /),
  schemas: get('/msg/schemas', / 200 /),
  readiness: get('/readyz', / 200 /),
  'an upgrade behind a stream': {
    bytes: Buffer.concat([pipelined([{ target: '/sse?channel=public:edge.news' }]), upgradeRequest()]),
    answer: / 200 /,
  },
  'a request behind an upgrade': {
    bytes: Buffer.concat([upgradeRequest(), pipelined([{ target: '/healthz' }])]),
    answer: / 101 /,
  },
  'many requests at once': {
    bytes: pipelined(Array.from({ length: 50 }, () => ({ target: '/manifest' }))),
    answer: / 200 /,
  },
};

function get(target: string, answer: RegExp) {
  return { bytes: rawRequest({ target }), answer };
}

function post(target: string, body: string, answer: RegExp) {
  const headers = [['Content-Type', 'application/json']] as const;
  return { bytes: rawRequest({ method: 'POST', target, headers, body }), answer };
}

/** A request that offers HTTP/2, as `curl --http2` does. */
function offered(request: RawRequest): Buffer {
  const headers = [
    ['Connection', 'Upgrade, HTTP2-Settings'],
    ['Upgrade', 'h2c'],
    ['HTTP2-Settings', 'AAMAAABkAAQAoAAAAAIAAAAA'],
  ] as const;
  return rawRequest({ ...request, headers: [...headers, ...(request.headers ?? [])] });
}

describe('a reset connection ends nothing but itself', () => {
  let server: MsgServer;
  let ended: unknown;

  /** Each case is about itself: after one that ended the process the next one gets another. */
  async function start(): Promise<void> {
    server = await startServer();
    ended = undefined;
    void server.exited().then(end => {
      ended = end;
    });
    await rpcOf(server.url, server.token)('OpenPublic', { name: 'public:edge.news' });
  }
  beforeAll(start);
  beforeEach(async () => {
    if (ended !== undefined) await start();
  });
  afterAll(() => server.stop());

  const cases = Object.keys(REQUESTS).flatMap(name =>
    Object.keys(RESET_STAGES).map(stage => [name, stage] as const),
  );
  it.each(cases)('%s, reset %s', async (name, stage) => {
    const { bytes, answer } = REQUESTS[name] ?? expect.unreachable();
    const reset = RESET_STAGES[stage] ?? expect.unreachable();
    const isSilent = answer.source === '^$';
    const request: ResetRequest = {
      url: server.url,
      bytes,
      answered: socket => (isSilent ? socket.ended() : socket.until(answer)),
      answering: socket => (isSilent ? socket.ended() : socket.until(/./)),
    };
    await Promise.all(Array.from({ length: TRIES }, () => reset(request)));
    const health = await fetch(`${server.url}/healthz`).then(({ status }) => status, String);
    expect({ health, ended }).toEqual({ health: 200, ended: undefined });
  });
});
