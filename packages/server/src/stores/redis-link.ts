import { readEvent } from '../channels/registry/redis/event-text.ts';
import type { RedisChannelRegistry } from '../channels/registry/redis/registry.ts';
import type { StoreCommands } from '../observability/store-commands.ts';
import type { SharedConnection } from '../shared-store/connect.ts';
import type { NodeNews, SharedLink, SubsystemState } from './stores.ts';

export interface RedisLinkOptions {
  readonly connection: SharedConnection;
  readonly registry: Pick<RedisChannelRegistry, 'heard'>;
  readonly nodeId: string;
  readonly commands: StoreCommands;
}

/** The other nodes, as far as the service listens to them itself: lifecycle events, hints about keyring and schemas. */
export class RedisLink implements SharedLink {
  readonly commands: StoreCommands;
  readonly #connection: SharedConnection;
  readonly #registry: RedisLinkOptions['registry'];
  readonly #nodeId: string;

  constructor({ connection, registry, nodeId, commands }: RedisLinkOptions) {
    this.commands = commands;
    this.#connection = connection;
    this.#registry = registry;
    this.#nodeId = nodeId;
  }

  async start(news: NodeNews): Promise<void> {
    const { store } = this.#connection;
    await this.#connection.listen({
      channels: new Map([
        [store.key('events'), (text: string) => this.#heard(text, news)],
        [store.key('keyring:events'), () => news.keyringChanged()],
        [store.key('schemas:events'), () => news.schemasChanged()],
      ]),
      reconnected: () => news.reconnected(),
    });
  }

  health(): Promise<Readonly<Record<string, SubsystemState>>> {
    return this.#connection.health();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #heard(text: string, news: NodeNews): void {
    const event = readEvent(text);
    if (event === undefined || event.nodeId === this.#nodeId) return;
    const { nodeId: _sender, ...change } = event;
    this.#registry.heard(change);
    news.channelChanged(change);
  }
}
