import type { ClientInfo } from '@msg/protocol';
import { decodeClientInfo, encodeClientInfo } from '@msg/protocol/internal';
import { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import type { Presence, PresenceCounts } from '../contract.ts';
import { PresenceKind } from './kinds.ts';

/** The entries of one thread: channel → client ids. */
type Entries = Map<string, Set<string>>;

/** Presence of a process with threads: entries are those of the presence below it, with the number of their thread. */
export class ThreadedPresence implements Presence {
  readonly #presence: Presence;
  readonly #threads: (Entries | undefined)[] = [];
  readonly #writer = new BodyWriter();

  constructor(presence: Presence) {
    this.#presence = presence;
  }

  start(): Promise<void> {
    return this.#presence.start();
  }

  stop(): Promise<void> {
    return this.#presence.stop();
  }

  add(channel: string, clientId: string, info: ClientInfo): Promise<void> {
    return this.#presence.add(channel, clientId, info);
  }

  remove(channel: string, clientId: string): Promise<void> {
    return this.#presence.remove(channel, clientId);
  }

  get(channel: string): Promise<ReadonlyMap<string, ClientInfo>> {
    return this.#presence.get(channel);
  }

  counts(channel: string): Promise<PresenceCounts> {
    return this.#presence.counts(channel);
  }

  /** Serves the presence of thread `number`, from 1, through its link. */
  attach(number: number, link: LinkEnd): void {
    const entries: Entries = new Map();
    this.#threads[number - 1] = entries;
    link.handle(PresenceKind.add, body => {
      const from = new BodyReader(body);
      const [channel, clientId] = [from.text(), from.text()];
      keep(entries, channel, clientId);
      return this.#presence.add(channel, clientId, decodeClientInfo(from.rest()));
    });
    link.handle(PresenceKind.remove, body => {
      const from = new BodyReader(body);
      const [channel, clientId] = [from.text(), from.text()];
      drop(entries, channel, clientId);
      return this.#presence.remove(channel, clientId);
    });
    link.handle(PresenceKind.get, body => this.#entries(new BodyReader(body).text()));
    link.handle(PresenceKind.counts, body => this.#counts(new BodyReader(body).text()));
  }

  /** A thread has ended: its entries end with it. */
  async detach(number: number): Promise<void> {
    const entries = this.#threads[number - 1];
    this.#threads[number - 1] = undefined;
    for (const [channel, clientIds] of entries ?? [])
      for (const clientId of clientIds) await this.#presence.remove(channel, clientId);
  }

  async #entries(channel: string): Promise<Uint8Array> {
    const entries = await this.#presence.get(channel);
    const to = this.#writer.begin().u32(entries.size);
    for (const [clientId, info] of entries) to.text(clientId).bytes(encodeClientInfo(info));
    return to.copy();
  }

  async #counts(channel: string): Promise<Uint8Array> {
    const { clients, users } = await this.#presence.counts(channel);
    return this.#writer.begin().u32(clients).u32(users).copy();
  }
}

function keep(entries: Entries, channel: string, clientId: string): void {
  const clientIds = entries.get(channel);
  if (clientIds === undefined) entries.set(channel, new Set([clientId]));
  else clientIds.add(clientId);
}

function drop(entries: Entries, channel: string, clientId: string): void {
  const clientIds = entries.get(channel);
  if (clientIds?.delete(clientId) === true && clientIds.size === 0) entries.delete(channel);
}
