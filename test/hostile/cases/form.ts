import type { RawRequest } from '@msg/testkit/hostile';

type Headers = NonNullable<RawRequest['headers']>;

/** A way to write a route's request. */
export interface Form {
  readonly name: string;
  /** The request never ends: it is not answered before the deadline. */
  readonly incomplete?: boolean;
  /** Absent: the request stays as it is. `undefined` as result: the form says nothing about this request. */
  rewrite?(request: RawRequest): RawRequest | undefined;
}

function without(headers: Headers, ...names: readonly string[]): Headers {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

function withHeaders(request: RawRequest, added: Headers, ...replaced: readonly string[]): RawRequest {
  return { ...request, headers: [...without(request.headers ?? [], ...replaced), ...added] };
}

const HUGE_BYTES = 65_536;
const MANY_HEADERS = 3000;
const DEEP_LEVELS = 65_536;

/** The request as a well-behaved client writes it comes first; it alone meets the tricks that wait. */
export const PLAIN: Form = { name: 'plain' };

export const FORMS: readonly Form[] = [
  PLAIN,
  {
    name: 'no credential',
    rewrite: request =>
      (request.headers ?? []).some(([name]) => name === 'Authorization')
        ? withHeaders(request, [], 'authorization')
        : undefined,
  },
  {
    name: 'h2c offer',
    rewrite: request =>
      withHeaders(
        request,
        [
          ['Connection', 'Upgrade, HTTP2-Settings'],
          ['Upgrade', 'h2c'],
          ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
        ],
        'connection',
        'upgrade',
      ),
  },
  {
    name: 'websocket offer of an unknown version',
    rewrite: request =>
      withHeaders(
        request,
        [
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
          ['Sec-WebSocket-Version', '99'],
        ],
        ...['connection', 'upgrade', 'sec-websocket-version'],
      ),
  },
  {
    name: 'foreign origin',
    rewrite: request => withHeaders(request, [['Origin', 'https://evil.example']], 'origin'),
  },
  { name: 'foreign host', rewrite: request => withHeaders(request, [['Host', 'evil.example']]) },
  {
    name: 'two hosts',
    rewrite: request =>
      withHeaders(request, [
        ['Host', '127.0.0.1'],
        ['Host', 'evil.example'],
      ]),
  },
  { name: 'expect continue', rewrite: request => withHeaders(request, [['Expect', '100-continue']]) },
  { name: 'odd expectation', rewrite: request => withHeaders(request, [['Expect', 'a-miracle']]) },
  {
    name: 'length and chunked',
    rewrite: request =>
      withHeaders(request, [
        ['Content-Length', '5'],
        ['Transfer-Encoding', 'chunked'],
      ]),
  },
  {
    name: 'chunked without an end',
    incomplete: true,
    rewrite: request =>
      request.method === 'POST'
        ? { ...withHeaders(request, [['Transfer-Encoding', 'chunked']]), body: '5\r\nabcde\r\n' }
        : undefined,
  },
  {
    name: 'more announced than sent',
    incomplete: true,
    rewrite: request =>
      request.method === 'POST' ? withHeaders(request, [['Content-Length', '4000000']]) : undefined,
  },
  { name: 'huge header', rewrite: request => withHeaders(request, [['X-Huge', 'x'.repeat(HUGE_BYTES)]]) },
  {
    name: 'many headers',
    rewrite: request =>
      withHeaders(
        request,
        Array.from({ length: MANY_HEADERS }, (_, i) => [`X-${i}`, ''] as const),
      ),
  },
  {
    name: 'absolute form of another host',
    rewrite: request => ({ ...request, target: `http://evil.example${request.target ?? '/'}` }),
  },
  { name: 'unknown method', rewrite: request => ({ ...request, method: 'BREW' }) },
  {
    name: 'deep body',
    rewrite: request =>
      request.method === 'POST' ? { ...request, body: '['.repeat(DEEP_LEVELS) } : undefined,
  },
  {
    name: 'broken body',
    rewrite: request =>
      request.method === 'POST' ? { ...request, body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0]) } : undefined,
  },
];
