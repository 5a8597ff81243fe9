import {
  type CommandEnvelope,
  type Encoding,
  type Init,
  jsonCodec,
  type Push,
  protobufCodec,
  type Reply,
} from '@msg/protocol';
import { WebSocket } from 'ws';

export interface RawClientOptions {
  readonly encoding?: Encoding;
  /** Sub-protocols to offer; default: what the stock client of that encoding offers. */
  readonly subprotocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

/**
 * A client that does exactly what a test says: no pong, no retry, no opinion. It keeps everything it receives, in
 * order, until the test takes it.
 */
export class RawClient {
  readonly websocket: WebSocket;
  readonly #codec: typeof jsonCodec;
  readonly #encoding: Encoding;
  #lastId = 0;
  readonly #received: Reply[] = [];
  #waiting: (() => void)[] = [];
  #closed: Closed | null = null;

  private constructor(websocket: WebSocket, encoding: Encoding) {
    this.websocket = websocket;
    this.#encoding = encoding;
    this.#codec = encoding === 'json' ? jsonCodec : protobufCodec;
    websocket.on('message', data => this.#take(data as Buffer));
    websocket.on('close', (code, reason) => {
      this.#closed = { code, reason: reason.toString() };
      this.#wake();
    });
    websocket.on('error', () => {});
  }

  /** Opens the socket. Rejects with the HTTP status when the upgrade is refused. */
  static async open(url: string, options: RawClientOptions = {}): Promise<RawClient> {
    const encoding = options.encoding ?? 'json';
    const subprotocols = options.subprotocols ?? (encoding === 'json' ? [] : ['centrifuge-protobuf']);
    const websocket = new WebSocket(url, [...subprotocols], { headers: { ...options.headers } });
    const client = new RawClient(websocket, encoding);
    await new Promise<void>((resolve, reject) => {
      websocket.once('open', resolve);
      websocket.once('unexpected-response', (_request, response) => {
        websocket.terminate();
        reject(new Error(`HTTP ${response.statusCode}`));
      });
      websocket.once('error', reject);
    });
    return client;
  }

  /** Opens, connects, and answers the connect result. */
  static async connected(
    url: string,
    options: RawClientOptions & { readonly connect?: CommandEnvelopeMember<'connect'> } = {},
  ): Promise<RawClient> {
    const client = await RawClient.open(url, options);
    await client.request({ connect: options.connect ?? {} });
    return client;
  }

  /** Sends one command with the next id and waits for its reply; an error reply is returned, not thrown. */
  async request(command: Init<CommandEnvelope>): Promise<Reply> {
    const id = this.send(command);
    return this.take(reply => reply.id === id);
  }

  /** Sends one command with the next id, without waiting. Answers the id. */
  send(command: Init<CommandEnvelope>): number {
    const id = ++this.#lastId;
    this.sendFrame(this.#codec.join([this.#codec.encodeCommand({ ...command, id })]));
    return id;
  }

  /** Sends several commands in one frame. Answers their ids. */
  sendBatch(commands: readonly Init<CommandEnvelope>[]): number[] {
    const ids = commands.map(() => ++this.#lastId);
    const messages = commands.map((command, i) => this.#codec.encodeCommand({ ...command, id: ids[i] }));
    this.sendFrame(this.#codec.join(messages));
    return ids;
  }

  /** Sends bytes as they are, in a frame of the type that fits the encoding. */
  sendFrame(bytes: Uint8Array | string): void {
    this.websocket.send(bytes, { binary: this.#encoding === 'protobuf' });
  }

  pong(): void {
    this.sendFrame(this.#codec.join([this.#codec.pong]));
  }

  /** Takes the first reply that fits, out of order if need be. Rejects after `timeoutMs`. */
  async take(fits: (reply: Reply) => boolean, timeoutMs = 60_000): Promise<Reply> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const index = this.#received.findIndex(fits);
      if (index >= 0) return this.#received.splice(index, 1)[0] as Reply;
      if (this.#closed !== null) throw new Error(`closed ${this.#closed.code} ${this.#closed.reason}`);
      await this.#more(deadline);
    }
  }

  /** Takes the next push of any kind. */
  async push(fits: (push: Push) => boolean = () => true, timeoutMs = 60_000): Promise<Push> {
    const reply = await this.take(({ push }) => push !== null && fits(push), timeoutMs);
    return reply.push as Push;
  }

  /** Takes the next ping. */
  async ping(timeoutMs = 60_000): Promise<void> {
    await this.take(isPing, timeoutMs);
  }

  /** Everything received and not taken, in order of arrival. */
  get received(): readonly Reply[] {
    return this.#received;
  }

  /** Waits for the end of the connection. */
  async closed(timeoutMs = 60_000): Promise<Closed> {
    const deadline = Date.now() + timeoutMs;
    while (this.#closed === null) await this.#more(deadline);
    return this.#closed;
  }

  /** Closes from the client's side and waits. */
  async close(): Promise<void> {
    this.websocket.close();
    await this.closed();
  }

  #take(frame: Buffer): void {
    const reader = this.#codec.replies(frame);
    for (let reply = reader.next(); reply !== null; reply = reader.next()) this.#received.push(reply);
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  async #more(deadline: number): Promise<void> {
    const left = deadline - Date.now();
    if (left <= 0) throw new Error(`nothing came in time; received: ${JSON.stringify(this.#received)}`);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>(resolve => this.#waiting.push(resolve)),
      new Promise<void>(resolve => {
        timer = setTimeout(resolve, left);
      }),
    ]);
    clearTimeout(timer);
  }
}

type CommandEnvelopeMember<K extends keyof CommandEnvelope> = NonNullable<Init<CommandEnvelope>[K]>;

function isPing(reply: Reply): boolean {
  return (
    reply.id === 0 &&
    reply.push === null &&
    reply.error === null &&
    reply.connect === null &&
    reply.subscribe === null
  );
}
