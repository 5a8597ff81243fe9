import type { ClientInfo } from '@msg/protocol';
import type { Presence, PresenceCounts } from './contract.ts';

const NOBODY: ReadonlyMap<string, ClientInfo> = new Map();

/** Presence in this process. Entries need no expiry: they end with the node. */
export class MemoryPresence implements Presence {
  readonly #channels = new Map<string, Map<string, ClientInfo>>();

  /** Channels with at least one entry. */
  get channelCount(): number {
    return this.#channels.size;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.#channels.clear();
  }

  async add(channel: string, clientId: string, info: ClientInfo): Promise<void> {
    const entries = this.#channels.get(channel);
    if (entries === undefined) this.#channels.set(channel, new Map([[clientId, info]]));
    else entries.set(clientId, info);
  }

  async remove(channel: string, clientId: string): Promise<void> {
    const entries = this.#channels.get(channel);
    if (entries?.delete(clientId) === true && entries.size === 0) this.#channels.delete(channel);
  }

  async get(channel: string): Promise<ReadonlyMap<string, ClientInfo>> {
    return new Map(this.#channels.get(channel) ?? NOBODY);
  }

  async counts(channel: string): Promise<PresenceCounts> {
    const entries = this.#channels.get(channel) ?? NOBODY;
    const users = new Set<string>();
    for (const { user } of entries.values()) users.add(user);
    return { clients: entries.size, users: users.size };
  }
}
