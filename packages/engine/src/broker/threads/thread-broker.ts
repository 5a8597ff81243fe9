import type { Clock } from '@msg/foundation/clock';
import { AtMost } from '@msg/foundation/promises';
import type { ClientInfo, Payload, Publication } from '@msg/protocol';
import type { AppendStore } from '../../append/contract.ts';
import { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import { LinkBusy, LinkTimeout } from '../../threads/link/pending-requests.ts';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
  StreamPosition,
} from '../contract.ts';
import { MergedReads } from '../merged-reads.ts';
import { DocumentCopies } from './appended-body.ts';
import { writeHistory } from './history-body.ts';
import { HistoryPageReader } from './history-pages.ts';
import { BrokerCall, BrokerKind } from './kinds.ts';
import { KnownPositions } from './known-positions.ts';
import { DELTA, KNOWN_PREVIOUS, REMEMBER, readPublication, VOLATILE } from './publication-body.ts';
import { readClient, readResult, TRACED, writeClient, writePublish } from './publish-body.ts';
import { ThreadAppends } from './thread-appends.ts';

/** Reads of streams that a thread asks for at the same time (threads 3.2). */
const READS_AT_ONCE = 64;
/** Pages of a read that a thread asks for at the same time: 256 KiB (threads 3.2). */
const PAGES_AT_ONCE = 4;
/** How long a read waits for its turn, as long as for an answer. */
const READ_WAIT_MS = 5000;

/** A publication that may be the base of the next one. */
interface Remembered {
  readonly publication: Publication;
  readonly position: StreamPosition;
}

/** What a {@link ThreadBroker} runs with. */
export interface ThreadBrokerOptions {
  /** Main's broker has append streams. */
  readonly hasAppends: boolean;
  /** This process alone writes the streams of main, so this broker may follow them. */
  readonly ownsStreams: boolean;
  readonly clock: Clock;
  /** The trace that a publish belongs to. */
  readonly trace?: (() => string | undefined) | undefined;
}

/**
 * The broker of a thread's node: streams are on main, and everything goes through the link (threads 4). A publisher's own
 * copy comes before the answer to its publish.
 */
export class ThreadBroker implements Broker {
  readonly #link: LinkEnd;
  readonly #writer = new BodyWriter();
  readonly #documents = new DocumentCopies();
  /** The last publication of each channel with deltas. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #subscribed = new Set<string>();
  readonly appends: AppendStore | undefined;
  /** Readers of one stream share a copy of it: what many peers ask for together is not copied for each of them. */
  readonly #reads: MergedReads;
  readonly #turns: AtMost;
  readonly #trace: ThreadBrokerOptions['trace'];
  readonly #positions: KnownPositions;
  readonly position: Broker['position'];
  #events: BrokerEvents | null = null;

  constructor(link: LinkEnd, { hasAppends, ownsStreams, clock, trace }: ThreadBrokerOptions) {
    this.#link = link;
    this.#trace = trace;
    this.#reads = new MergedReads(clock);
    const late = (): Error => new LinkBusy(`${READS_AT_ONCE} reads wait for the other thread`);
    this.#turns = new AtMost({ most: READS_AT_ONCE, clock, waitMs: READ_WAIT_MS, late });
    this.appends = hasAppends ? new ThreadAppends(link) : undefined;
    this.#positions = new KnownPositions(clock);
    this.position = ownsStreams ? channel => this.#position(channel) : undefined;
    link.handle(BrokerKind.publication, (body, { flags }) => this.#published(body, flags));
    link.handle(BrokerKind.appended, (body, { flags }) => {
      const keeps = (name: string): boolean => this.#subscribed.has(name);
      const { channel, state } = this.#documents.read(new BodyReader(body), flags, keeps);
      this.#positions.forget(channel);
      if (state === null) this.#events?.missed?.(channel);
      else this.#events?.appended(channel, state);
    });
    link.handle(BrokerKind.appendChanged, body => this.#events?.appendChanged?.(new BodyReader(body).text()));
    link.handle(BrokerKind.missed, body => {
      const channel = new BodyReader(body).text();
      this.#positions.forget(channel);
      this.#events?.missed?.(channel);
    });
    link.handle(BrokerKind.restarted, body => this.#positions.forget(new BodyReader(body).text()));
    link.handle(BrokerKind.gap, body => this.#restored(new BodyReader(body)));
    for (const kind of ['join', 'leave'] as const)
      link.handle(BrokerKind[kind], body => {
        const { channel, info } = readClient(new BodyReader(body));
        this.#events?.[kind](channel, info);
      });
  }

  async start(events: BrokerEvents): Promise<void> {
    this.#events = events;
  }

  async stop(): Promise<void> {
    this.#events = null;
    this.#remembered.clear();
    this.#positions.forgetAll();
  }

  async subscribe(channel: string): Promise<void> {
    this.#subscribed.add(channel);
    await this.#link.request(BrokerKind.subscribe, this.#writer.begin().text(channel).body);
  }

  async unsubscribe(channel: string): Promise<void> {
    this.#subscribed.delete(channel);
    this.#remembered.delete(channel);
    this.#documents.forget(channel);
    this.#positions.forget(channel);
    await this.#link.request(BrokerKind.unsubscribe, this.#writer.begin().text(channel).body);
  }

  async publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const trace = this.#trace?.();
    const to = trace === undefined ? this.#writer.begin() : this.#writer.begin().text(trace);
    const { body } = writePublish(to, { channel, data, stream, options });
    const flags = trace === undefined ? 0 : TRACED;
    return readResult(new BodyReader(await this.#link.request(BrokerKind.publish, body, flags)));
  }

  async publishJoin(channel: string, info: ClientInfo): Promise<void> {
    await this.#link.request(BrokerKind.join, writeClient(this.#writer.begin(), channel, info).body);
  }

  async publishLeave(channel: string, info: ClientInfo): Promise<void> {
    await this.#link.request(BrokerKind.leave, writeClient(this.#writer.begin(), channel, info).body);
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    if (filter.limit === 0) return this.#read(channel, filter, metaTtlMs);
    const stream = `${filter.peek === true ? 'peek' : metaTtlMs} ${channel}`;
    return this.#reads.run(stream, filter, range =>
      this.#turns.run(() => this.#read(channel, range, metaTtlMs)),
    );
  }

  /** What main has answered anybody by now is in the ring, and is read first. */
  #position(channel: string): StreamPosition | null {
    if (this.#positions.get(channel) === null || !this.#link.readNow()) return null;
    return this.#positions.get(channel);
  }

  async #read(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    if (filter.peek === true || this.position === undefined || !this.#subscribed.has(channel))
      return this.#pages(channel, filter, metaTtlMs);
    const follow = this.#positions.reading(channel, metaTtlMs);
    const result = await this.#pages(channel, filter, metaTtlMs);
    const { offset, epoch, compacted } = result;
    follow(compacted === undefined ? { offset, epoch } : null);
    return result;
  }

  async #pages(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    const { body } = writeHistory(this.#writer.begin(), { channel, filter, metaTtlMs });
    const pages = new HistoryPageReader(new BodyReader(await this.#link.request(BrokerKind.history, body)));
    for (let count = 1; !pages.isDone; count = Math.min(count * 2, PAGES_AT_ONCE)) {
      const next = this.#writer.begin().u32(pages.cursor).body;
      const asked = Array.from({ length: count }, () => this.#link.request(BrokerKind.historyPage, next));
      const bodies = await Promise.all(asked);
      if (bodies[0]?.length === 0)
        throw new LinkTimeout('the pages of a read took longer than main keeps it');
      for (const body of bodies) pages.add(new BodyReader(body));
    }
    return pages.result;
  }

  async removeHistory(channel: string): Promise<void> {
    await this.#link.call(BrokerCall.removeHistory, channel);
  }

  async renewEpoch(channel: string, seen: string): Promise<void> {
    await this.#link.call(BrokerCall.renewEpoch, { channel, seen });
  }

  async removeStream(channel: string): Promise<void> {
    await this.#link.call(BrokerCall.removeStream, channel);
  }

  #published(body: Uint8Array, flags: number): void {
    const { channel, publication, position, previous } = readPublication(new BodyReader(body), flags);
    if (position.offset > 0) this.#positions.arrived(channel, position);
    const before = (flags & KNOWN_PREVIOUS) === 0 ? previous : this.#base(channel, position);
    if ((flags & REMEMBER) !== 0 && this.#subscribed.has(channel))
      this.#remembered.set(channel, { publication, position });
    const [delta, isVolatile] = [(flags & DELTA) !== 0, (flags & VOLATILE) !== 0];
    this.#events?.publication(channel, publication, position, delta, before, isVolatile);
  }

  /** The publication right before this position; null when this node has unsubscribed meanwhile. */
  #base(channel: string, { offset, epoch }: StreamPosition): Publication | null {
    const { publication = null, position } = this.#remembered.get(channel) ?? {};
    return position?.offset === offset - 1 && position.epoch === epoch ? publication : null;
  }

  #restored(from: BodyReader): void {
    const isAll = from.u8() === 1;
    const channels = Array.from({ length: from.u32() }, () => from.text());
    if (isAll) this.#positions.forgetAll();
    else for (const channel of channels) this.#positions.forget(channel);
    this.#events?.restored?.(isAll ? undefined : channels);
  }
}
