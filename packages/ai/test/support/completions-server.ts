import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** One piece of an answer, as the delta of a chunk holds it. */
export type Delta =
  | { readonly content: string }
  | { readonly reasoning_content: string }
  | { readonly tool_calls: readonly object[] };

/** How a model answers one request. */
export type Turn = (answer: Answer) => Promise<void>;

/** Bytes of one write: no line and no character of the stream is left whole. */
const WRITE_BYTES = 11;
const MODEL = 'local-model';

/** One answer in the wire format of OpenAI's chat completions, streamed as server-sent events. */
export class Answer {
  readonly #response: ServerResponse;
  /** When its reader hung up, of `performance.now()`; null: it did not. */
  leftAt: number | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('close', () => {
      if (!response.writableFinished) this.leftAt = performance.now();
    });
  }

  get isOpen(): boolean {
    return this.leftAt === null;
  }

  refuse(status: number, message: string): void {
    this.#response.writeHead(status, { 'content-type': 'application/json' });
    this.#response.end(JSON.stringify({ error: { message, type: 'server_error', code: null, param: null } }));
  }

  async say(...deltas: readonly Delta[]): Promise<void> {
    for (const delta of deltas) await this.#chunk({ choices: [{ index: 0, delta, finish_reason: null }] });
  }

  async finish(reason: 'stop' | 'tool_calls'): Promise<void> {
    await this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
    await this.#chunk({ choices: [], usage });
    await this.#write('data: [DONE]\n\n');
    this.#response.end();
  }

  /** What providers send when they fail in the middle. */
  async fail(message: string): Promise<void> {
    await this.#write(
      `data: ${JSON.stringify({ error: { message, type: 'server_error', code: null } })}\n\n`,
    );
    this.#response.end();
  }

  /** The connection is lost in the middle of a line. */
  async breakOff(): Promise<void> {
    await this.#write('data: {"id":"c","choi');
    this.#response.destroy();
  }

  async #chunk(members: object): Promise<void> {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: MODEL, ...members };
    await this.#write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  async #write(line: string): Promise<void> {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const bytes = Buffer.from(line);
    for (let at = 0; at < bytes.length && this.isOpen; at += WRITE_BYTES) {
      this.#response.write(bytes.subarray(at, at + WRITE_BYTES));
      // Each piece is a packet of its own.
      await pause(0);
    }
  }
}

/** A server as vLLM, Ollama and others are: it answers `POST /v1/chat/completions`. */
export class CompletionsServer {
  readonly #server: Server;
  /** Bodies of the requests. */
  readonly requests: {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: readonly object[];
  }[] = [];
  /** Headers of the newest request. */
  headers: IncomingMessage['headers'] = {};
  #turns: Turn[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<CompletionsServer> {
    const server = new CompletionsServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Base address for a provider. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // a bound TCP server
    return `http://127.0.0.1:${port}/v1`;
  }

  /** How the next requests are answered, one after the other. */
  answers(...turns: readonly Turn[]): void {
    this.requests.length = 0;
    this.#turns = [...turns];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    this.headers = request.headers;
    this.requests.push(JSON.parse(await text(request)));
    const answer = new Answer(response);
    const turn = this.#turns.shift();
    if (request.url !== '/v1/chat/completions' || turn === undefined) answer.refuse(404, 'no such thing');
    else await turn(answer);
  }
}
