import type { Clock } from '@msg/foundation/clock';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload } from '@msg/protocol';
import type { AppendStore } from '../../append/contract.ts';
import { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from '../contract.ts';
import { handleAppendCalls } from './append-calls.ts';
import { BrokerThread } from './broker-thread.ts';
import { among, fanOut } from './fan-out.ts';
import { readHistory } from './history-body.ts';
import type { HistoryCursors } from './history-cursors.ts';
import { Interests } from './interests.ts';
import { BrokerCall, BrokerKind } from './kinds.ts';
import { readClient, readPublish, TRACED, writeResult } from './publish-body.ts';

/** Threads that a process can have: interest is a mask of 32 bits (threads 4.1). */
export const MOST_THREADS = 32;

/** Runs work, with everything that it awaits, as a part of a trace that a thread has begun. */
export type Below = <T>(trace: string, work: () => T) => T;

/**
 * The broker of a process with threads: main's own node uses it, and the nodes of the threads through their links. All
 * streams are those of the broker below it (threads 1 and 4).
 */
export class ThreadedBroker implements Broker {
  readonly #broker: Broker;
  readonly #clock: Clock;
  readonly #below: Below;
  readonly #interests: Interests;
  readonly #threads: (BrokerThread | undefined)[] = [];
  readonly #writer = new BodyWriter();
  readonly appends: AppendStore | undefined;
  readonly ownsStreams: boolean;

  constructor(broker: Broker, clock: Clock, below: Below = (_, work) => work()) {
    this.#broker = broker;
    this.#clock = clock;
    this.#below = below;
    this.#interests = new Interests(broker);
    this.appends = broker.appends;
    this.ownsStreams = broker.ownsStreams === true;
  }

  /** Channels that a thread or main is interested in. */
  get channelCount(): number {
    return this.#interests.size;
  }

  start(events: BrokerEvents): Promise<void> {
    return this.#broker.start(fanOut(events, this.#interests, this.#threads));
  }

  stop(): Promise<void> {
    return this.#broker.stop();
  }

  subscribe(channel: string): Promise<void> {
    return this.#interests.add(
      channel,
      interest => interest.setMain(true),
      interest => interest.setMain(false),
    );
  }

  unsubscribe(channel: string): Promise<void> {
    return this.#interests.remove(channel, interest => interest.setMain(false));
  }

  publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): MaybePromise<PublishResult> {
    return this.#broker.publish(channel, data, stream, options);
  }

  publishJoin(channel: string, info: ClientInfo): Promise<void> {
    return this.#broker.publishJoin(channel, info);
  }

  publishLeave(channel: string, info: ClientInfo): Promise<void> {
    return this.#broker.publishLeave(channel, info);
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    return this.#broker.history(channel, filter, metaTtlMs);
  }

  removeHistory(channel: string): Promise<void> {
    return this.#broker.removeHistory(channel);
  }

  async renewEpoch(channel: string, seen: string): Promise<void> {
    await this.#broker.renewEpoch(channel, seen);
    this.#restarted(channel);
  }

  async removeStream(channel: string): Promise<void> {
    await this.#broker.removeStream(channel);
    this.#restarted(channel);
  }

  /** Serves the broker of thread `number`, from 1, through its link. */
  attach(number: number, link: LinkEnd): BrokerThread {
    const bit = 1 << (number - 1);
    const thread = new BrokerThread(link, bit, this.#clock);
    this.#threads[number - 1] = thread;
    link.handle(BrokerKind.publish, (body, { flags }) => this.#published(body, flags));
    link.handle(BrokerKind.subscribe, body =>
      this.#interests.add(
        new BodyReader(body).text(),
        interest => interest.subscribe(bit),
        interest => interest.unsubscribe(bit),
      ),
    );
    link.handle(BrokerKind.unsubscribe, body =>
      this.#interests.remove(new BodyReader(body).text(), interest => interest.unsubscribe(bit)),
    );
    link.handle(BrokerKind.history, body => this.#read(thread.reads, body));
    link.handle(BrokerKind.historyPage, body => thread.reads.next(new BodyReader(body).u32()));
    link.handle(BrokerKind.join, body => {
      const { channel, info } = readClient(new BodyReader(body));
      thread.joined(channel, info);
      return this.#broker.publishJoin(channel, info);
    });
    link.handle(BrokerKind.leave, body => {
      const { channel, info } = readClient(new BodyReader(body));
      thread.left(channel, info);
      return this.#broker.publishLeave(channel, info);
    });
    link.handleCall(BrokerCall.removeHistory, (channel: string) => this.#broker.removeHistory(channel));
    link.handleCall(BrokerCall.renewEpoch, ({ channel, seen }: { channel: string; seen: string }) =>
      this.renewEpoch(channel, seen),
    );
    link.handleCall(BrokerCall.removeStream, (channel: string) => this.removeStream(channel));
    if (this.appends !== undefined) handleAppendCalls(link, this.appends, this.#interests, bit);
    return thread;
  }

  /** A thread has ended: its interest ends, and a leave follows every join that has none. */
  async detach(number: number): Promise<void> {
    const thread = this.#threads[number - 1];
    if (thread === undefined) return;
    this.#threads[number - 1] = undefined;
    thread.reads.close();
    await this.#interests.removeThread(thread.bit);
    for (const [channel, info] of thread.present()) await this.#broker.publishLeave(channel, info);
  }

  /** Tells the threads, before the caller is answered, that their position is that of another stream. */
  #restarted(channel: string): void {
    const { mask = 0 } = this.#interests.get(channel) ?? {};
    for (const thread of among(this.#threads, mask)) thread.name(BrokerKind.restarted, channel);
  }

  #published(body: Uint8Array, flags: number): MaybePromise<Uint8Array> {
    const from = new BodyReader(body);
    const trace = (flags & TRACED) === 0 ? undefined : from.text();
    const { channel, data, stream, options } = readPublish(from);
    const result =
      trace === undefined
        ? this.#broker.publish(channel, data, stream, options)
        : this.#below(trace, () => this.#broker.publish(channel, data, stream, options));
    // What is answered at once is in the ring before the next body begins.
    if (!isPromise(result)) return writeResult(this.#writer.begin(), result).body;
    return result.then(later => writeResult(this.#writer.begin(), later).copy());
  }

  async #read(reads: HistoryCursors, body: Uint8Array): Promise<Uint8Array> {
    const { channel, filter, metaTtlMs } = readHistory(new BodyReader(body));
    return reads.open(await this.#broker.history(channel, filter, metaTtlMs));
  }
}
