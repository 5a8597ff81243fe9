import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const OK = 'HTTP/1.1 200 ';
/** A service closes a connection that is idle for 5 s. */
const PING_MS = 2000;
const PING = Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');

/** A connection to the RPC that stays on its thread: while it has nothing to do it asks for the health of the service. */
export class KeptConnection {
  readonly #socket: Socket;
  #sent = 0;
  #answered = 0;
  #rest = '';
  #isBusy = false;

  private constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1').on('data', (text: string) => {
      const parts = (this.#rest + text).split(OK);
      this.#answered += parts.length - 1;
      this.#rest = (parts.at(-1) ?? '').slice(1 - OK.length);
    });
    this.#socket.on('close', () => {
      throw new Error('the server closed the connection of the publisher');
    });
    setInterval(() => {
      if (!this.#isBusy) this.send(PING);
    }, PING_MS).unref();
  }

  static async open(port: number): Promise<KeptConnection> {
    const opened = new KeptConnection(port);
    await once(opened.#socket, 'connect');
    return opened;
  }

  /** Requests without an answer of status 200. */
  get waiting(): number {
    return this.#sent - this.#answered;
  }

  send(request: Buffer): void {
    this.#socket.write(request);
    this.#sent++;
  }

  /** Does work without a request of its own beside it. */
  async busy<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}
