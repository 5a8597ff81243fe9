import type { IncomingMessage, ServerResponse } from 'node:http';
import { disconnect } from '../../errors.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';
import type { HttpNode, StreamOptions } from '../options.ts';
import type { RequestEndpoint, RequestTransportRow } from '../row.ts';
import type { WholeBody } from './body.ts';
import { HttpStreamConnection } from './connection.ts';
import { answer, answeredByCors } from './cors.ts';
import { type RequestDenial, refuse } from './denial.ts';
import { chunk } from './framing.ts';

type Encoding = 'json' | 'protobuf';

/** What a request opens a stream with. */
export interface StreamRequest {
  readonly encoding: Encoding;
  /** The first commands, as one frame. */
  readonly commands: Uint8Array;
  /** The body that they came in, if they did. */
  readonly body?: WholeBody;
}

/** Nothing on the way may keep what was said, or hold it back. */
const STREAM_HEADERS: readonly string[] = [
  ...['cache-control', 'private, no-cache, no-store, must-revalidate, max-age=0'],
  ...['pragma', 'no-cache'],
  ...['expires', '0'],
  ...['x-accel-buffering', 'no'],
  ...['connection', 'keep-alive'],
];

/** A stream is written to the socket, which belongs to that answer. */
const BEHIND_AN_ANSWER = 'a stream must not be requested behind a request whose answer is due';

/**
 * What the endpoints with a held response have in common: origin rule, headers, the connection. Their clients talk
 * back through the emulation endpoint. Mount them on any `node:http` server's `request` event.
 */
export abstract class StreamTransport implements RequestEndpoint {
  protected readonly node: HttpNode;
  readonly #options: StreamOptions;
  readonly #row: RequestTransportRow;
  readonly #methods: readonly string[];

  protected constructor(
    node: HttpNode,
    row: RequestTransportRow,
    methods: readonly string[],
    options: StreamOptions,
  ) {
    this.node = node;
    this.#row = row;
    this.#methods = methods;
    this.#options = options;
  }

  /** What the request asks for, or why it is refused. */
  protected abstract read(request: IncomingMessage): Promise<StreamRequest | RequestDenial>;

  /** Bytes that open the stream, before any message. */
  protected abstract readonly preamble: Uint8Array | null;

  protected abstract readonly contentTypes: Readonly<Record<Encoding, string>>;

  /**
   * Answers a request; resolves when it is answered or has become a connection. Never rejects.
   * @param headers that the answer carries besides its own: names and values in turns
   */
  async handle(request: IncomingMessage, response: ServerResponse, headers: string[] = []): Promise<void> {
    if (answeredByCors(request, response, headers, this.#methods, this.#options)) return;
    const asked = await this.read(request);
    if (typeof asked === 'string') {
      if (!response.destroyed) refuse(request, response, headers, asked);
      return;
    }
    // The peer may have gone while its body was read.
    if (!response.destroyed) {
      if (response.socket !== null) this.#open(request, response, headers, asked);
      else answer(request, response, headers, 400, BEHIND_AN_ANSWER, false);
    }
    asked.body?.release();
  }

  #open(
    request: IncomingMessage,
    response: ServerResponse,
    headers: string[],
    { encoding, commands }: StreamRequest,
  ): void {
    const chunked = request.httpVersionMinor > 0;
    response.writeHead(200, [...headers, ...STREAM_HEADERS, 'content-type', this.contentTypes[encoding]]);
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    const framing = this.#row.framing(encoding, chunked);
    const info = {
      name: this.#row.name,
      encoding,
      remoteAddress: this.#options.remoteAddress?.(request) ?? request.socket.remoteAddress ?? '',
      headers: forwardedHeaders(request.headers, this.#options.keepHeaders),
    };
    const connection = new HttpStreamConnection(response, info, framing, chunked);
    const { preamble } = this;
    if (preamble !== null) connection.write(chunked ? chunk(preamble) : preamble);
    if (this.node.reserve()) {
      const session = this.node.open(connection);
      connection.attach(session);
      session.received(commands);
      return;
    }
    // Deployed clients retry without a pause when no stream opens: tell them on one.
    const { code, reason } = disconnect.shutdown();
    connection.write(framing.frame([framing.codec.encodePush({ disconnect: { code, reason } })]));
    connection.close();
  }
}
