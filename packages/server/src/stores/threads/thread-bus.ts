import type { LinkEnd } from '@msg/engine/threads';
import type { ClusterBus, ClusterEvents } from '../contract.ts';
import type { SubsystemStates } from '../subsystem-state.ts';
import { callMain } from './asking.ts';
import { type News, StoreCall } from './calls.ts';
import type { CopiedStore } from './copied-stores.ts';
import type { ThreadRegistry } from './thread-registry.ts';

/** What a {@link ThreadBus} needs. */
export interface ThreadBusParts {
  readonly link: LinkEnd;
  readonly registry: ThreadRegistry;
  readonly keyring: CopiedStore;
  readonly schemas: CopiedStore;
  readonly joinsProcesses: boolean;
}

/** News of main, of the other threads, and through main of other processes. */
export class ThreadBus implements ClusterBus {
  readonly joinsProcesses: boolean;
  /** As main said last: it has the connections to what is shared. */
  #health: SubsystemStates = {};
  readonly #parts: ThreadBusParts;
  #events: ClusterEvents | undefined;

  constructor(parts: ThreadBusParts) {
    this.#parts = parts;
    this.joinsProcesses = parts.joinsProcesses;
    parts.link.handleCall(StoreCall.news, (news: News) => this.#received(news));
    parts.link.handleCall(StoreCall.flush, () => this.#noteAll());
  }

  get health(): SubsystemStates {
    return { main: { ok: true }, ...this.#health };
  }

  async start(events: ClusterEvents): Promise<void> {
    this.#events = events;
    this.#health = (await callMain(this.#parts.link, StoreCall.started)) as SubsystemStates;
    // What changed after it was read and before main knew that this thread listens.
    await Promise.all([events.onKeyringChanged(), events.onSchemasChanged(), events.onApiKeysChanged?.()]);
  }

  async close(): Promise<void> {
    if (this.#events === undefined) return;
    this.#events = undefined;
    this.#parts.registry.stop();
    await this.#parts.link.call(StoreCall.stopped).catch(() => {}); // main learns the end of the thread, too
  }

  /** Main is about to sweep: its subscribers are here. */
  async #noteAll(): Promise<void> {
    await this.#events?.onSweeping?.();
    this.#parts.registry.flush();
  }

  /** Resolves when this thread goes by what has changed. */
  async #received(news: News): Promise<void> {
    const { registry, keyring, schemas } = this.#parts;
    const events = this.#events;
    if (news.kind === 'health') this.#health = news.health;
    if (news.kind === 'channel') registry.onLifecycleEvent(news.event);
    if (events === undefined) return;
    switch (news.kind) {
      case 'channel':
        events.onChannelChanged(news.event);
        return;
      case 'keyring':
        return follow(keyring, () => events.onKeyringChanged());
      case 'schemas':
        return follow(schemas, () => events.onSchemasChanged());
      case 'apiKeys':
        await events.onApiKeysChanged?.();
        return;
      case 'revoked':
        await events.onRevoked?.();
        return;
      case 'reconnected':
        events.onReconnected();
    }
  }
}

/** A change of this thread waits for the answer of main, which waits for this: what comes after it is read behind it. */
async function follow(store: CopiedStore, read: () => unknown): Promise<void> {
  if (store.isWriting) void read();
  else await read();
}
