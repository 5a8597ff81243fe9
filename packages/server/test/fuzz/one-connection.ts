import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer of the RPC. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** `meta.code` of an error answer. */
  readonly code: string | undefined;
}

const HEAD_END = '\r\n\r\n';

/** One connection that takes request after request: with `fetch`, most of a fuzz run is the work of the client. */
export class OneConnection {
  readonly #url: URL;
  readonly #headers: string;
  #socket: Socket | null = null;
  /** Bytes of the answer under way. */
  #received: Buffer = Buffer.alloc(0);
  #wake: () => void = () => {};

  constructor(url: string, token: string) {
    this.#url = new URL(url);
    this.#headers = `host: ${this.#url.host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
  }

  /** @throws Error when the service ends the connection without an answer */
  async post(method: string, body: string): Promise<Answer> {
    const socket = await this.#connected();
    const length = Buffer.byteLength(body);
    const line = `POST /twirp/msg.MsgService/${method} HTTP/1.1`;
    socket.write(`${line}\r\n${this.#headers}content-length: ${length}${HEAD_END}${body}`);
    return this.#answer();
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #connected(): Promise<Socket> {
    if (this.#socket !== null) return this.#socket;
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    await once(socket, 'connect');
    socket.setNoDelay();
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('error', () => {}); // the close follows
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null;
      this.#wake();
    });
    this.#socket = socket;
    return socket;
  }

  async #answer(): Promise<Answer> {
    for (;;) {
      const answer = this.#whole();
      if (answer !== null) return answer;
      if (this.#socket === null) throw new Error('the service ended the connection without an answer');
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  /** The answer when all of it is there. */
  #whole(): Answer | null {
    const received = this.#received.toString('latin1');
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return null;
    const head = received.slice(0, headEnd);
    const length = Number(/\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (!(length >= 0)) throw new Error(`no length in ${head}`);
    const start = headEnd + HEAD_END.length;
    if (received.length < start + length) return null;
    if (received.length > start + length) throw new Error(`more than an answer: ${received.slice(start)}`);
    const text = this.#received.toString('utf8', start);
    this.#received = Buffer.alloc(0);
    if (/\nconnection: close/i.test(head)) this.close();
    const body = JSON.parse(text) as Answer['body']; // the service answers JSON objects only
    const { meta } = body;
    const code = typeof meta === 'object' && meta !== null && 'code' in meta ? String(meta.code) : undefined;
    return { status: Number(head.slice(9, 12)), body, code };
  }
}
