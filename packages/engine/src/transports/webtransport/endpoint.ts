import { type Clock, systemClock } from '@msg/foundation/clock';
import { isSameHostname } from '@msg/foundation/http-guard';
import { disconnect } from '../../errors.ts';
import type { TransportNode } from '../contract.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';
import { streamFraming } from '../http/framing.ts';
import type { WebTransportOptions } from '../options.ts';
import type { ListenerTransportRow, TransportListener } from '../row.ts';
import { WebTransportConnection } from './connection.ts';
import type {
  WebTransportProvider,
  WebTransportServer,
  WebTransportSession,
  WebTransportStream,
} from './provider.ts';
import { rwebtransport } from './rwebtransport.ts';

/** The client opens its stream within this time (client protocol 4.5, 20), milliseconds. */
const FIRST_STREAM_MS = 10_000;

/** The default origin rule of a listener with a port of its own (client protocol 4.5). */
function isSameHost({ origin, authority }: WebTransportSession): boolean {
  if (origin === null) return true;
  const url = URL.parse(origin);
  return url !== null && isSameHostname(url, authority);
}

/** The WebTransport endpoint of a node, on a UDP port of its own (client protocol 4.5). */
export class WebTransportEndpoint implements TransportListener {
  readonly #node: TransportNode;
  readonly #server: WebTransportServer;
  readonly #options: WebTransportOptions;
  readonly #clock: Clock;
  readonly #serving: Promise<void>;

  private constructor(node: TransportNode, server: WebTransportServer, options: WebTransportOptions) {
    this.#node = node;
    this.#server = server;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#serving = this.#serve();
  }

  /** Opens the listener. Rejects with `WebTransportUnavailable`. */
  static async listen(
    node: TransportNode,
    provider: WebTransportProvider,
    options: WebTransportOptions,
  ): Promise<WebTransportEndpoint> {
    return new WebTransportEndpoint(node, await provider.listen(options), options);
  }

  /** The UDP port that is bound. */
  get port(): number {
    return this.#server.port;
  }

  /** Takes no more sessions and ends those there are; drain the node first. */
  async close(): Promise<void> {
    await this.#server.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    for await (const session of this.#server.sessions) {
      const startedAt = this.#clock.monotonic();
      this.#options.onStart?.(session);
      const status = this.#statusOf(session);
      const ended = () => this.#options.onEnd?.(session, status, startedAt);
      session.closed.then(ended, ended);
      if (status === 200) void this.#accept(session);
      else session.close(status, status === 403 ? 'origin not allowed' : 'not found');
    }
  }

  #statusOf(session: WebTransportSession): number {
    const { path = webtransport.path, allowOrigin = isSameHost } = this.#options;
    if (session.path.split('?', 1)[0] !== path) return 404;
    return allowOrigin(session) ? 200 : 403;
  }

  async #accept(session: WebTransportSession): Promise<void> {
    const stream = await this.#firstStream(session);
    if (stream === null) {
      session.close(0, 'no stream');
      return;
    }
    const query = new URLSearchParams(session.path.slice(session.path.indexOf('?') + 1));
    const encoding = query.get('cf_protocol') === 'protobuf' ? 'protobuf' : 'json';
    const headers = forwardedHeaders(session.headers, this.#options.keepHeaders);
    const framing = webtransport.framing(encoding, false);
    const info = {
      name: webtransport.name,
      encoding,
      remoteAddress: session.remoteAddress,
      headers,
    } as const;
    const clock = this.#clock;
    const { messageBytes } = this.#node.limits;
    const connection = new WebTransportConnection({ session, stream, info, framing, messageBytes, clock });
    if (this.#node.reserve()) {
      connection.attach(this.#node.open(connection));
      return;
    }
    const { code, reason } = disconnect.shutdown();
    connection.write(framing.frame([framing.codec.encodePush({ disconnect: { code, reason } })]));
    connection.close(code, reason);
  }

  /** Null when none comes in time, or the session ends first. */
  async #firstStream({ incomingStreams }: WebTransportSession): Promise<WebTransportStream | null> {
    const reader = incomingStreams.getReader();
    const timer = this.#clock.setTimeout(() => void reader.cancel().catch(() => {}), FIRST_STREAM_MS);
    try {
      const { value } = await reader.read();
      return value ?? null;
    } catch {
      return null;
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }
}

/** The row of the transport. Its HTTP/3 stack is loaded when it is opened. */
export const webtransport: ListenerTransportRow = {
  kind: 'listener',
  name: 'webtransport',
  path: '/connection/webtransport',
  announced: true,
  framing: streamFraming,
  open: (node, options) => WebTransportEndpoint.listen(node, rwebtransport, options),
};
