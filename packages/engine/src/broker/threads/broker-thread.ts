import type { Clock } from '@msg/foundation/clock';
import type { ClientInfo } from '@msg/protocol';
import { BodyWriter } from '../../threads/link/body.ts';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import { HistoryCursors } from './history-cursors.ts';
import { BrokerKind } from './kinds.ts';
import { MissedChannels } from './missed-channels.ts';
import { writeClient } from './publish-body.ts';

/** Events for a thread that were dropped because it does not read, by kind. */
export interface DroppedEvents {
  publications: number;
  joins: number;
  leaves: number;
}

/** One thread as main's end of the broker knows it. */
export class BrokerThread {
  readonly link: LinkEnd;
  /** Its bit in the masks of interest. */
  readonly bit: number;
  /** Its reads of streams that are on their way. */
  readonly reads: HistoryCursors;
  readonly dropped: DroppedEvents = { publications: 0, joins: 0, leaves: 0 };
  readonly #writer = new BodyWriter();
  readonly #missed = new MissedChannels();
  /** Joins without a leave: channel → client id → info. */
  readonly #joined = new Map<string, Map<string, ClientInfo>>();
  #gaps = 0;

  constructor(link: LinkEnd, bit: number, clock: Clock) {
    this.link = link;
    this.bit = bit;
    this.reads = new HistoryCursors(clock);
    link.onRoom(() => {
      this.#gaps++;
      this.gap(this.#missed.take());
    });
  }

  /** Gap records that were sent because events were dropped. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Sends an event of a channel; one that is dropped is counted, and its channel is told in the next gap. */
  post(
    kind: number,
    channel: string,
    body: Uint8Array,
    flags: number,
    counted: keyof DroppedEvents,
  ): boolean {
    if (this.link.post(kind, body, flags)) return true;
    this.dropped[counted]++;
    this.#missed.add(channel);
    return false;
  }

  /** Tells the thread that events of these channels, or of all, may have been lost. */
  gap(channels: readonly string[] | undefined): void {
    const body = this.#writer
      .begin()
      .u8(channels === undefined ? 1 : 0)
      .u32(channels?.length ?? 0);
    for (const channel of channels ?? []) body.text(channel);
    this.link.postAlways(BrokerKind.gap, body.body);
  }

  /** Sends an event that is only the name of a channel, and is never dropped. */
  name(kind: number, channel: string): void {
    this.link.postAlways(kind, this.#writer.begin().text(channel).body);
  }

  announce(kind: 'join' | 'leave', channel: string, info: ClientInfo): void {
    const body = writeClient(this.#writer.begin(), channel, info).body;
    this.post(BrokerKind[kind], channel, body, 0, kind === 'join' ? 'joins' : 'leaves');
  }

  joined(channel: string, info: ClientInfo): void {
    const clients = this.#joined.get(channel);
    if (clients === undefined) this.#joined.set(channel, new Map([[info.client, info]]));
    else clients.set(info.client, info);
  }

  left(channel: string, { client }: ClientInfo): void {
    const clients = this.#joined.get(channel);
    if (clients?.delete(client) === true && clients.size === 0) this.#joined.delete(channel);
  }

  /** Clients of the thread that joined and did not leave. */
  *present(): Iterable<readonly [channel: string, info: ClientInfo]> {
    for (const [channel, clients] of this.#joined) for (const info of clients.values()) yield [channel, info];
  }
}
