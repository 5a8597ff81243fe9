// The load process of the RPC bench: one request at a time per connection, never pipelined.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Repeater, serveRepeaters } from './repeating-load.ts';
import type { RpcTarget } from './rpc.ts';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

class Requester extends Repeater {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #received = '';
  #isWaiting = false;
  #isOpen = true;

  constructor(port: number, request: Buffer) {
    super();
    this.#request = request;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#take(text));
    // One that is idle for 5 s may be closed.
    this.#socket.on('close', () => {
      this.#isOpen = false;
      if (this.#isWaiting) throw new Error('the server closed a connection that waits for an answer');
    });
  }

  async open(): Promise<void> {
    await once(this.#socket, 'connect');
  }

  close(): void {
    this.#isWaiting = false;
    this.#socket.destroy();
  }

  protected send(): void {
    if (!this.#isOpen) throw new Error('the server closed a connection that is needed again');
    this.#isWaiting = true;
    this.#socket.write(this.#request);
  }

  #take(text: string): void {
    this.#received += text;
    const head = this.#received.indexOf(HEAD_END);
    if (head < 0) return;
    const start = head + HEAD_END.length;
    const end = start + Number(LENGTH.exec(this.#received)?.[1]);
    if (this.#received.length < end) return;
    // Not a number of a length, another status or bytes nobody asked for: the figures would mean nothing.
    if (!this.#received.startsWith('HTTP/1.1 200 ') || this.#received.length !== end) {
      throw new Error(`unexpected answer: ${this.#received}`);
    }
    const body = this.#received.slice(start);
    this.#received = '';
    this.#isWaiting = false;
    this.took(body);
  }
}

serveRepeaters<RpcTarget>(({ port, request }) => new Requester(port, Buffer.from(request, 'base64')));
