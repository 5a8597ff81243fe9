// The load process of the RPC bench: one request at a time per connection, never pipelined.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { serveQuestions } from './pinned.ts';
import type { RpcLoadQuestion, RpcRun } from './rpc-questions.ts';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** A connection that sends its next request when the answer to the last one is complete. */
class Requester {
  answered = 0;
  lastBody = '';
  readonly #socket: Socket;
  readonly #request: Buffer;
  #received = '';
  #isRunning = false;
  #isClosing = false;
  #idle: (() => void) | null = null;

  constructor(port: number, request: Buffer) {
    this.#request = request;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#take(text));
    this.#socket.on('close', () => {
      if (!this.#isClosing) throw new Error('the server closed a connection');
    });
  }

  async open(): Promise<void> {
    await once(this.#socket, 'connect');
  }

  start(): void {
    this.answered = 0;
    this.#isRunning = true;
    this.#socket.write(this.#request);
  }

  /** Sends nothing more; resolves when the last answer is there. */
  async finish(): Promise<void> {
    const idle = new Promise<void>(resolve => {
      this.#idle = resolve;
    });
    this.#isRunning = false;
    await idle;
  }

  close(): void {
    this.#isClosing = true;
    this.#socket.destroy();
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
    this.lastBody = this.#received.slice(start);
    this.#received = '';
    this.answered++;
    if (this.#isRunning) this.#socket.write(this.#request);
    else this.#idle?.();
  }
}

let requesters: Requester[] = [];

async function run(ms: number): Promise<RpcRun> {
  const start = performance.now();
  for (const requester of requesters) requester.start();
  await new Promise(resolve => setTimeout(resolve, ms));
  await Promise.all(requesters.map(requester => requester.finish()));
  return {
    answered: requesters.reduce((sum, { answered }) => sum + answered, 0),
    wallMs: performance.now() - start,
    lastBody: requesters[0]?.lastBody ?? '',
  };
}

serveQuestions<RpcLoadQuestion>(async question => {
  switch (question.kind) {
    case 'connect': {
      const request = Buffer.from(question.request, 'base64');
      requesters = Array.from({ length: question.connections }, () => new Requester(question.port, request));
      await Promise.all(requesters.map(requester => requester.open()));
      return {};
    }
    case 'run':
      return run(question.ms);
    case 'disconnect':
      for (const requester of requesters) requester.close();
      requesters = [];
      return {};
  }
});
