import { formatName, type MsgClient, parseName } from '@msg/client';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { type ChatTransport, generateId, type UIMessage } from 'ai';
import { Chat, type NewRun } from './chat.ts';
import { ChatChannel } from './chat-channel.ts';
import { type ChatEndpoint, postChat } from './chat-request.ts';

/** Options of {@link createChatTransport}. */
export interface ChatTransportOptions extends ChatEndpoint {
  /** The connection of the page, which the application has connected. */
  readonly client: MsgClient;
  /** The channel that has the answers of a chat. */
  readonly channelOf: (chatId: string) => string;
}

/** A chat transport whose answers go on without their readers. */
export interface MsgChatTransport<M extends UIMessage = UIMessage> extends ChatTransport<M> {
  readonly resumeStreamIsReplay: true;
  /**
   * Stops the answer that runs in a chat, on whatever device it was asked for, and before its first token too; resolves
   * when it has ended.
   * @throws MsgError the service's refusal; MSG_BROKER_NOT_READY when it has not ended after 10 s
   */
  stop(chatId: string, reason?: string): Promise<void>;
  /**
   * Calls `listener` for each answer that opens and that no stream of this tab reads, as those that other tabs ask for:
   * resume the chat. Returns what ends that.
   */
  onRun(chatId: string, listener: (run: NewRun) => void): () => void;
  /** Ends its subscriptions, and the streams that read them. It stops no answer. */
  close(): void;
}

/** Segments of a name that say which chat it is: application, domain and id. */
const CHAT_SEGMENTS = 3;

/** A chat transport of the AI SDK over append streams. Source: append streams 12.2 */
export function createChatTransport<M extends UIMessage = UIMessage>(
  options: ChatTransportOptions,
): MsgChatTransport<M> {
  return new AppendChatTransport<M>(options, systemClock);
}

export class AppendChatTransport<M extends UIMessage> implements MsgChatTransport<M> {
  readonly resumeStreamIsReplay = true;
  readonly #options: ChatTransportOptions;
  readonly #clock: Clock;
  readonly #chats = new Map<string, Chat>();
  readonly #channels = new Map<string, ChatChannel>();

  constructor(options: ChatTransportOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  readonly sendMessages: ChatTransport<M>['sendMessages'] = async options => {
    const { chatId, abortSignal, trigger, messageId, messages, headers, body } = options;
    abortSignal?.throwIfAborted();
    const input = generateId();
    const chat = this.#chat(chatId);
    const reader = chat.read({ input }, abortSignal);
    try {
      await Promise.race([chat.settled(), reader.began]);
      abortSignal?.throwIfAborted();
      const request = { id: chatId, input, trigger, messages, ...defined({ messageId }) };
      const posted = postChat(this.#options, request, { headers, body }).then(({ channel }) =>
        chat.expect(reader, channel),
      );
      // An application may keep its reply until the answer has ended.
      await Promise.race([posted, reader.began]);
      return reader.stream;
    } catch (error) {
      chat.withdraw(reader, input, error);
      throw error;
    }
  };

  readonly reconnectToStream: ChatTransport<M>['reconnectToStream'] = async ({ chatId, abortSignal }) => {
    abortSignal?.throwIfAborted();
    const reader = await this.#chat(chatId).reconnect(abortSignal);
    return reader?.stream ?? null;
  };

  stop(chatId: string, reason?: string): Promise<void> {
    return this.#chat(chatId).stop((channel, target) =>
      this.#options.client.publish(controlOf(channel), {
        cancel: { channel, ...target, ...defined({ reason }) },
      }),
    );
  }

  onRun(chatId: string, listener: (run: NewRun) => void): () => void {
    return this.#chat(chatId).listen(listener);
  }

  close(): void {
    for (const channel of [...this.#channels.values()]) channel.end();
    this.#chats.clear();
  }

  #chat(id: string): Chat {
    const existing = this.#chats.get(id);
    if (existing !== undefined) return existing;
    const chat = new Chat(this.#clock, this.#options.channelOf(id), name => this.#channel(name));
    this.#chats.set(id, chat);
    return chat;
  }

  #channel(name: string): ChatChannel {
    const existing = this.#channels.get(name);
    if (existing !== undefined) return existing;
    const channel = new ChatChannel(this.#options.client, this.#clock, name, () => this.#forget(name));
    this.#channels.set(name, channel);
    return channel;
  }

  /** The subscription of a channel has ended: chats that are not used are made anew when they are needed. */
  #forget(name: string): void {
    this.#channels.delete(name);
    for (const [id, chat] of this.#chats) if (!chat.isUsed) this.#chats.delete(id);
  }
}

/** Where clients send the commands of a channel. */
function controlOf(channel: string): string {
  const { visibility, segments } = parseName(channel);
  return formatName({ visibility, segments: [...segments.slice(0, CHAT_SEGMENTS), 'control'] });
}
