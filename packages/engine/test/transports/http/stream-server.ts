import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  EmulationEndpoint,
  HttpStreamTransport,
  type NodeOptions,
  RealtimeNode,
  SseTransport,
} from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { chain, type MaybePromise } from '@msg/foundation/promises';
import { type CommandEnvelope, type Init, jsonCodec, type Reply } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { OPEN_POLICY } from '../../harness.ts';

/** A node with its HTTP transports on a free port, driven by a clock of its own. */
export class StreamServer {
  readonly clock = new ManualClock();
  readonly node: RealtimeNode;
  readonly sockets = new Set<Socket>();
  readonly #server: Server;

  /** @param before runs before the node gets a request: what another program's middleware does, at once or later */
  static async start(
    options: Partial<NodeOptions> = {},
    before?: (request: IncomingMessage) => MaybePromise<void>,
  ): Promise<StreamServer> {
    const server = new StreamServer(options, before);
    await server.node.start();
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor(
    options: Partial<NodeOptions>,
    before?: (request: IncomingMessage) => MaybePromise<void>,
  ) {
    this.node = new RealtimeNode({ policy: OPEN_POLICY, clock: this.clock, ...options });
    const routes: Readonly<Record<string, EmulationEndpoint | HttpStreamTransport | SseTransport>> = {
      '/connection/http_stream': new HttpStreamTransport(this.node),
      '/connection/sse': new SseTransport(this.node),
      '/emulation': new EmulationEndpoint(this.node),
    };
    this.#server = createServer((asked, response) => {
      const handle = (): void => void routes[asked.url?.split('?', 1)[0] ?? '']?.handle(asked, response);
      chain(before?.(asked), handle);
    });
    this.#server.on('connection', socket => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Opens a stream and waits for its head. */
  open(
    path: string,
    body: string | Uint8Array | null,
    headers: Record<string, string> = {},
  ): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const method = body === null ? 'GET' : 'POST';
      const asked = request(this.origin + path, { method, headers, agent: false }, response =>
        resolve(new Stream(response)),
      );
      asked.once('error', reject);
      asked.end(body ?? undefined);
    });
  }

  /** A connected HTTP stream of JSON lines. */
  async connected(...more: Init<CommandEnvelope>[]): Promise<Stream> {
    const commands = [{ connect: {} }, ...more].map((command, index) =>
      jsonCodec.encodeCommand({ ...command, id: index + 1 }),
    );
    const stream = await this.open('/connection/http_stream', jsonCodec.join(commands));
    await stream.until(() => stream.replies.length > more.length);
    return stream;
  }

  /** Sends commands through the emulation endpoint; the status. */
  async emulate(stream: Stream, ...commands: Init<CommandEnvelope>[]): Promise<number> {
    const frame = jsonCodec.join(commands.map(command => jsonCodec.encodeCommand(command)));
    const { session = '', node = '' } = stream.replies[0]?.connect ?? {};
    const body = Buffer.from(jsonCodec.encodeEmulation(node, session, frame)).toString();
    return (await fetch(`${this.origin}/emulation`, { method: 'POST', body })).status;
  }

  async stop(): Promise<void> {
    await this.node.shutdown({ graceMs: 0 });
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

/** The client's end of a held response. */
export class Stream {
  readonly response: IncomingMessage;
  /** Every piece as it arrived. */
  readonly pieces: Buffer[] = [];
  ended = false;

  constructor(response: IncomingMessage) {
    this.response = response;
    response.on('data', (piece: Buffer) => this.pieces.push(piece));
    response.on('close', () => {
      this.ended = true;
    });
    response.on('error', () => {});
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  /** Messages of a stream of JSON lines. */
  get replies(): Reply[] {
    return this.text
      .split('\n')
      .filter(line => line !== '')
      .flatMap(line => jsonCodec.replies(Buffer.from(line)).next() ?? []);
  }

  until(holds: () => boolean): Promise<void> {
    return eventually('what the stream should bring', holds, 10_000);
  }

  abort(): void {
    this.response.destroy();
  }
}
