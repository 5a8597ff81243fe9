import type { ClientInfo } from '@msg/protocol';
import { decodeClientInfo, encodeClientInfo } from '@msg/protocol/internal';
import { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import type { Presence, PresenceCounts } from '../contract.ts';
import { PresenceKind } from './kinds.ts';

/** Presence for the node of a thread: entries are on main (threads 4.6). */
export class ThreadPresence implements Presence {
  readonly #link: LinkEnd;
  readonly #writer = new BodyWriter();

  constructor(link: LinkEnd) {
    this.#link = link;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async add(channel: string, clientId: string, info: ClientInfo): Promise<void> {
    const body = this.#writer.begin().text(channel).text(clientId).rest(encodeClientInfo(info));
    await this.#link.request(PresenceKind.add, body.body);
  }

  async remove(channel: string, clientId: string): Promise<void> {
    await this.#link.request(PresenceKind.remove, this.#writer.begin().text(channel).text(clientId).body);
  }

  async get(channel: string): Promise<ReadonlyMap<string, ClientInfo>> {
    const answer = await this.#link.request(PresenceKind.get, this.#writer.begin().text(channel).body);
    const from = new BodyReader(answer);
    const entries = new Map<string, ClientInfo>();
    for (let left = from.u32(); left > 0; left--) entries.set(from.text(), decodeClientInfo(from.bytes()));
    return entries;
  }

  async counts(channel: string): Promise<PresenceCounts> {
    const answer = await this.#link.request(PresenceKind.counts, this.#writer.begin().text(channel).body);
    const from = new BodyReader(answer);
    return { clients: from.u32(), users: from.u32() };
  }
}
