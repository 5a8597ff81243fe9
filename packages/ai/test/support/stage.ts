import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatRequest } from '@msg/ai';
import { createChatTransport, type MsgChatTransport } from '@msg/ai/browser';
import { MsgClient } from '@msg/client';
import type { AppendDocument } from '@msg/client/appends';
import { createRpcClient, type RpcClient } from '@msg/core';
import { Msg } from '@msg/server';
import { closeServer } from '@msg/testkit';
import type { UIMessage, UIMessageChunk } from 'ai';

/** Channel of a chat. */
export const channelOf = (chat: string, topic = 'answer'): string => `private:app.chat.${chat}.${topic}`;

/** What the application of a test does with a request; it answers 200 unless it answers itself. */
export type Application = (request: ChatRequest) => Response | undefined | Promise<Response | undefined>;

const API = 'http://application.test/chat';

/** A service in this process, with tabs of one user. */
export class Stage {
  readonly msg: Msg;
  readonly #stop: () => Promise<void>;
  readonly #url: string;
  readonly #clients: MsgClient[] = [];
  readonly #transports: MsgChatTransport[] = [];
  readonly #channels: Record<string, Promise<unknown>> = {};
  readonly requests: ChatRequest[] = [];
  application: Application = () => undefined;

  private constructor(msg: Msg, url: string, stop: () => Promise<void>) {
    this.msg = msg;
    this.#url = url;
    this.#stop = stop;
  }

  static async start(): Promise<Stage> {
    const rules = [{ pattern: 'private:app.chat.**', append: true, appendWindowMs: 5 }];
    const msg = await Msg.create({ channels: { rules } });
    const server = createServer(msg.handler());
    msg.attach(server);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const controller = new AbortController();
    const ended = msg.run(controller.signal);
    await msg.ready();
    const { port } = server.address() as AddressInfo; // a bound TCP server
    return new Stage(msg, `http://127.0.0.1:${port}`, async () => {
      controller.abort();
      await ended;
      await closeServer(server);
    });
  }

  async stop(): Promise<void> {
    for (const transport of this.#transports) transport.close();
    for (const client of this.#clients) client.disconnect();
    await this.#stop();
  }

  /** The typed RPC client of the application's backend. */
  get rpc(): RpcClient {
    return createRpcClient({
      server: this.#url,
      token: this.msg.tokens.issueManagement('backend').token,
      fetch,
    });
  }

  /** The newest message of a channel, as its readers see it. */
  async newest(channel: string): Promise<AppendDocument> {
    const { document } = await this.rpc.call('AppendState', { name: channel, with_document: true });
    return JSON.parse(new TextDecoder().decode(document ?? undefined)) as AppendDocument; // as the service makes it
  }

  /** The channel, which is made at its first use. */
  async channel(chat: string, topic?: string): Promise<string> {
    const name = channelOf(chat, topic);
    this.#channels[name] ??= this.msg.channels.createPrivate({ name, subject: 'owner', scopes: [] });
    await this.#channels[name];
    return name;
  }

  /** A client of the user of a chat, connected. */
  async client(chat: string, mayStop = true): Promise<MsgClient> {
    await this.channel(chat);
    const credentials = await this.msg.tokens.issueAccess({
      subject: 'ann',
      scopes: [
        { pattern: channelOf(chat, '*'), verbs: ['subscribe'] },
        ...(mayStop ? [{ pattern: `private:app.chat.${chat}.control`, verbs: ['publish' as const] }] : []),
      ],
    });
    const client = new MsgClient({
      endpoint: this.#url,
      credentials,
      centrifugeOptions: { minReconnectDelay: 10, maxReconnectDelay: 50 },
    });
    this.#clients.push(client);
    await client.connect();
    return client;
  }

  /** A tab: a client with its transport. */
  async tab(chat: string, mayStop = true) {
    const client = await this.client(chat, mayStop);
    const transport = createChatTransport({
      client,
      api: API,
      channelOf: id => channelOf(id),
      fetch: async (_url, init) => {
        const request = JSON.parse(String(init?.body)) as ChatRequest; // what the transport makes
        this.requests.push(request);
        return (await this.application(request)) ?? new Response('{}');
      },
    });
    this.#transports.push(transport);
    return { client, transport };
  }
}

/** Loses the connection and gets a new one. */
export async function cut(client: MsgClient): Promise<void> {
  client.raw().disconnect();
  await client.connect();
}

/** A source that says what the test tells it. */
export class Model {
  readonly stream: ReadableStream<UIMessageChunk>;
  #controller: ReadableStreamDefaultController<UIMessageChunk> | null = null;
  isCancelled = false;

  constructor() {
    this.stream = new ReadableStream({
      start: controller => {
        this.#controller = controller;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    });
  }

  say(...chunks: readonly UIMessageChunk[]): this {
    for (const chunk of chunks) this.#controller?.enqueue(chunk);
    return this;
  }

  /** The beginning of an answer, and words of it. */
  begin(...words: string[]): this {
    return this.say({ type: 'start' }, { type: 'text-start', id: 't' }).words(...words);
  }

  words(...words: string[]): this {
    return this.say(...words.map(delta => ({ type: 'text-delta' as const, id: 't', delta })));
  }

  finish(): void {
    this.say({ type: 'text-end', id: 't' }, { type: 'finish' });
    this.end();
  }

  end(): void {
    this.#controller?.close();
  }

  fail(error: unknown): void {
    this.#controller?.error(error);
  }
}

/** All chunks of a stream. */
export async function chunksOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The text of the parts of a message. */
export const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('');

/** A question of the user. */
export const question = (text: string): UIMessage => ({
  id: `q-${text}`,
  role: 'user',
  parts: [{ type: 'text', text }],
});
