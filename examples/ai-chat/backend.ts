// The application: sessions, stored messages, and the runs of the model. It keeps everything in memory.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ChatRequest } from '@msg/ai';
import { openRun } from '@msg/ai/server';
import { isMsgError, type RpcClient } from '@msg/core';
import {
  convertToModelMessages,
  generateId,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { modelOf } from './model.ts';

const CHAT_ID = /^[a-z0-9-]{1,32}$/;
const HOUR_SECONDS = 3600;

/** A run as the page lists it. */
interface Run {
  readonly input: string;
  status: string;
  reason: string;
  /** When the model's own AbortSignal fired, Unix milliseconds. */
  abortedAt: number | null;
}

interface StoredChat {
  messages: UIMessage[];
  readonly runs: Run[];
}

const weather = tool({
  description: 'The weather of a city',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: ({ city }) => ({ city, degrees: 21 }),
});

export class Backend {
  readonly #msg: RpcClient;
  readonly #endpoint: string;
  readonly #chats = new Map<string, StoredChat>();

  /** @param endpoint where pages reach the service */
  constructor(msg: RpcClient, endpoint: string) {
    this.#msg = msg;
    this.#endpoint = endpoint;
  }

  /** Answers what is below /api/. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://application');
    const chat = searchParams.get('chat') ?? '';
    try {
      if (pathname === '/api/chat') await this.#ask(JSON.parse(await text(request)) as ChatRequest, response);
      else if (!CHAT_ID.test(chat))
        send(response, 400, { error: 'chat: lower-case letters, digits and hyphens' });
      else if (pathname === '/api/credentials') send(response, 200, await this.#credentials(chat));
      else if (pathname === '/api/messages') send(response, 200, this.#chat(chat).messages);
      else if (pathname === '/api/runs') send(response, 200, this.#chat(chat).runs);
      else send(response, 404, { error: 'not found' });
    } catch (error) {
      const isBusy = isMsgError(error) && error.code === 'MSG_APPEND_BUSY';
      send(response, isBusy ? 409 : 500, { error: isBusy ? 'an answer is running' : String(error) });
    }
  }

  /** Tokens of a user's session: a real application first asks who the user is. */
  async #credentials(chat: string): Promise<object> {
    await this.#msg.call('CreatePrivate', {
      name: channelOf(chat),
      ttl_seconds: HOUR_SECONDS,
      if_exists: 'reuse',
    });
    const credentials = await this.#msg.call('IssueAccess', {
      subject: 'ann',
      scopes: [
        { pattern: channelOf(chat), verbs: ['subscribe'] },
        // The right to stop an answer.
        { pattern: `private:app.chat.${chat}.control`, verbs: ['publish'] },
      ],
    });
    return { endpoint: this.#endpoint, credentials };
  }

  async #ask(request: ChatRequest, response: ServerResponse): Promise<void> {
    const { id, input, messages } = request;
    const chat = this.#chat(id);
    const record: Run = { input, status: 'streaming', reason: '', abortedAt: null };
    const run = await openRun(this.#msg, { channel: channelOf(id), input });
    chat.messages = messages;
    chat.runs.push(record);
    const result = streamText({
      model: modelOf(process.env['MODEL'], () => {
        record.abortedAt = Date.now();
      }),
      messages: await convertToModelMessages(messages),
      tools: { weather },
      stopWhen: stepCountIs(3),
      abortSignal: run.signal,
    });
    const answer = toUIMessageStream({
      stream: result.stream,
      originalMessages: messages,
      generateMessageId: generateId,
      onEnd: ({ messages: all }) => {
        chat.messages = all;
      },
    });
    // The request has its reply now; the answer goes on without it.
    send(response, 200, {});
    const { status, reason } = await run.pipe(answer);
    Object.assign(record, { status, reason });
  }

  #chat(id: string): StoredChat {
    const chat = this.#chats.get(id) ?? { messages: [], runs: [] };
    this.#chats.set(id, chat);
    return chat;
  }
}

const channelOf = (chat: string): string => `private:app.chat.${chat}.answer`;

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
