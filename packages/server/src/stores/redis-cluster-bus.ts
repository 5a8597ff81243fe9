import { readEvent } from '../channels/registry/redis/event-text.ts';
import type { RedisChannelRegistry } from '../channels/registry/redis/registry.ts';
import type { ClusterBus, ClusterEvents } from './contract.ts';
import type { SharedConnection } from './redis/connect.ts';
import type { StoreHealth } from './redis/store-health.ts';
import type { SubsystemStates } from './subsystem-state.ts';

export interface RedisClusterBusOptions {
  readonly connection: SharedConnection;
  readonly registry: Pick<RedisChannelRegistry, 'onLifecycleEvent' | 'onReconnected' | 'stop'>;
  readonly nodeId: string;
  readonly health: StoreHealth;
}

/** The cluster bus on Redis: lifecycle events, and changes of keyring and schemas. */
export class RedisClusterBus implements ClusterBus {
  readonly #connection: SharedConnection;
  readonly #registry: RedisClusterBusOptions['registry'];
  readonly #nodeId: string;
  readonly #health: StoreHealth;

  constructor({ connection, registry, nodeId, health }: RedisClusterBusOptions) {
    this.#connection = connection;
    this.#registry = registry;
    this.#nodeId = nodeId;
    this.#health = health;
  }

  async start(events: ClusterEvents): Promise<void> {
    const { store } = this.#connection;
    await this.#connection.listen({
      channels: new Map([
        [store.key('events'), (text: string) => this.#receive(text, events)],
        [store.key('keyring:events'), () => events.onKeyringChanged()],
        [store.key('schemas:events'), () => events.onSchemasChanged()],
      ]),
      reconnected: () => {
        this.#registry.onReconnected();
        events.onReconnected();
      },
    });
    await this.#health.start();
  }

  get health(): SubsystemStates {
    return this.#health.states;
  }

  async close(): Promise<void> {
    await this.#registry.stop();
    // A closed connection ends the current health check.
    await Promise.all([this.#connection.close(), this.#health.stop()]);
  }

  #receive(text: string, events: ClusterEvents): void {
    const event = readEvent(text);
    if (event === undefined || event.nodeId === this.#nodeId) return;
    const { nodeId: _sender, ...change } = event;
    this.#registry.onLifecycleEvent(change);
    events.onChannelChanged(change);
  }
}
