// The load process of the waiting bench: each connection subscribes to one name again and again, and is refused.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { serveQuestions } from './pinned.ts';
import type { WaitingLoadQuestion, WaitingRun } from './waiting-questions.ts';

/** A connection that sends its next subscribe when the last one was refused. */
class Subscriber {
  refused = 0;
  lastReply = '';
  readonly #socket: WebSocket;
  readonly #channel: string;
  #id = 1;
  #isRunning = false;
  #idle: (() => void) | null = null;

  constructor(port: number, channel: string) {
    this.#channel = channel;
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/connection/websocket`);
  }

  async open(): Promise<void> {
    await once(this.#socket, 'open');
    this.#socket.send('{"id":1,"connect":{}}');
    await once(this.#socket, 'message');
    this.#socket.on('message', (data: Buffer) => this.#take(data.toString('latin1')));
  }

  start(): void {
    this.refused = 0;
    this.#isRunning = true;
    this.#subscribe();
  }

  /** Sends nothing more; resolves when the last reply is there. */
  async finish(): Promise<void> {
    const idle = new Promise<void>(resolve => {
      this.#idle = resolve;
    });
    this.#isRunning = false;
    await idle;
  }

  close(): void {
    this.#socket.terminate();
  }

  #subscribe(): void {
    this.#socket.send(`{"id":${++this.#id},"subscribe":{"channel":"${this.#channel}"}}`);
  }

  #take(reply: string): void {
    if (reply === '{}') {
      this.#socket.send('{}');
      return;
    }
    if (!reply.includes('"code":102')) throw new Error(`unexpected reply: ${reply}`);
    this.lastReply = reply;
    this.refused++;
    if (this.#isRunning) this.#subscribe();
    else this.#idle?.();
  }
}

let subscribers: Subscriber[] = [];

async function run(ms: number): Promise<WaitingRun> {
  for (const subscriber of subscribers) subscriber.start();
  await new Promise(resolve => setTimeout(resolve, ms));
  await Promise.all(subscribers.map(subscriber => subscriber.finish()));
  return {
    refused: subscribers.reduce((sum, { refused }) => sum + refused, 0),
    lastReply: subscribers[0]?.lastReply ?? '',
  };
}

serveQuestions<WaitingLoadQuestion>(async question => {
  switch (question.kind) {
    case 'connect': {
      const { connections, port, channel } = question;
      subscribers = Array.from({ length: connections }, () => new Subscriber(port, channel));
      await Promise.all(subscribers.map(subscriber => subscriber.open()));
      return {};
    }
    case 'run':
      return run(question.ms);
    case 'disconnect':
      for (const subscriber of subscribers) subscriber.close();
      subscribers = [];
      return {};
  }
});
