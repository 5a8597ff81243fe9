// The load process of the waiting bench: each connection subscribes to one name again and again, and is refused.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Repeater, serveRepeaters } from './repeating-load.ts';
import type { WaitingTarget } from './waiting.ts';

class Subscriber extends Repeater {
  readonly #socket: WebSocket;
  readonly #channel: string;
  #id = 1;

  constructor(port: number, channel: string) {
    super();
    this.#channel = channel;
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/connection/websocket`);
  }

  async open(): Promise<void> {
    await once(this.#socket, 'open');
    this.#socket.send('{"id":1,"connect":{}}');
    await once(this.#socket, 'message');
    this.#socket.on('message', (data: Buffer) => this.#take(data.toString('latin1')));
  }

  close(): void {
    this.#socket.terminate();
  }

  protected send(): void {
    this.#socket.send(`{"id":${++this.#id},"subscribe":{"channel":"${this.#channel}"}}`);
  }

  #take(reply: string): void {
    if (reply === '{}') {
      this.#socket.send('{}');
      return;
    }
    if (!reply.includes('"code":102')) throw new Error(`unexpected reply: ${reply}`);
    this.took(reply);
  }
}

serveRepeaters<WaitingTarget>(({ port, channel }) => new Subscriber(port, channel));
