import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type MsgServer, startMsg } from '@msg/testkit';
import type { JsonObject } from '#src/document/json.ts';

const CONFIG = `channels:
  open:
    - { name: "public:shop.orders", ttl: never, history_size: 1000 }
    - { name: "public:shop.hidden", ttl: never, client_history: off }
    - { name: "public:shop.short", ttl: never, history_size: 2 }
`;

/** A real `msg serve` with a few public channels, which can be started again on its port. */
export class OrdersChannel {
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #server: MsgServer;

  private constructor(port: number, folder: string, args: readonly string[], server: MsgServer) {
    this.port = port;
    this.#folder = folder;
    this.#args = args;
    this.#server = server;
  }

  /** @param args further ones of `msg serve`, such as those of a store. */
  static async open(args: readonly string[] = []): Promise<OrdersChannel> {
    const folder = await mkdtemp(join(tmpdir(), 'dash-orders-'));
    await writeFile(join(folder, 'msg.yaml'), CONFIG);
    const all = ['--config', join(folder, 'msg.yaml'), '--state-dir', join(folder, 'state'), ...args];
    const port = await freePort();
    return new OrdersChannel(port, folder, all, await startMsg({ port, args: all }));
  }

  get origin(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  connection(config: JsonObject = {}) {
    const url = `${this.origin}/connection/websocket`;
    return { type: 'msg', config: { url, channel: 'public:shop.orders', timeout: 30, ...config } };
  }

  async publish(data: unknown, channel = 'public:shop.orders'): Promise<void> {
    await this.#call('Publish', { name: channel, json: data });
  }

  /** Makes a private channel; answers a token that may subscribe to it. */
  async createPrivate(name: string): Promise<string> {
    const { access_token: token } = await this.#call('CreatePrivate', {
      name,
      subject: 'dash',
      ttl_seconds: 600,
    });
    return String(token);
  }

  async #call(method: string, request: object): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.#server.url}/twirp/msg.MsgService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#server.token}` },
      body: JSON.stringify(request),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Record<string, unknown>;
  }

  /** Ends the server at once. */
  async kill(): Promise<void> {
    this.#server.kill('SIGKILL');
    await this.#server.exited();
  }

  async start(): Promise<void> {
    this.#server = await startMsg({ port: this.port, args: this.#args });
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
