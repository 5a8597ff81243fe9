import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from '@msg/engine';
import type { ClientInfo, Payload } from '@msg/protocol';
import type { ChannelLog, Incarnation } from './log.ts';

/** What the recording needs to know. */
export interface Recorder {
  now(): number;
  log(channel: string): ChannelLog;
  violation(text: string): void;
}

/**
 * Sits between the faults and the real broker. It writes down what really happens to the streams, in the order
 * in which it happens, and compares every answer of the broker with the log.
 */
export class RecordingBroker implements Broker {
  readonly #inner: Broker;
  readonly #recorder: Recorder;
  /** Channels that the node is subscribed to. */
  readonly subscribed = new Set<string>();

  constructor(inner: Broker, recorder: Recorder) {
    this.#inner = inner;
    this.#recorder = recorder;
  }

  start(events: BrokerEvents): Promise<void> {
    return this.#inner.start(events);
  }

  stop(): Promise<void> {
    return this.#inner.stop();
  }

  subscribe(channel: string): Promise<void> {
    if (this.subscribed.has(channel)) this.#recorder.violation(`the node subscribed ${channel} twice`);
    this.subscribed.add(channel);
    return this.#inner.subscribe(channel);
  }

  unsubscribe(channel: string): Promise<void> {
    if (!this.subscribed.delete(channel)) this.#recorder.violation(`the node unsubscribed ${channel} twice`);
    return this.#inner.unsubscribe(channel);
  }

  async publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const log = this.#recorder.log(channel);
    log.append(Buffer.from(data.bytes).toString(), this.#recorder.now());
    const incarnation = log.current as Incarnation;
    const expected = incarnation.top;
    const result = await this.#inner.publish(channel, data, stream, options);
    this.#name(channel, incarnation, result.epoch);
    if (result.offset !== expected || result.suppressed) {
      this.#recorder.violation(`publication ${expected} of ${channel} was stored as ${result.offset}`);
    }
    return result;
  }

  publishJoin(channel: string, info: ClientInfo): Promise<void> {
    return this.#inner.publishJoin(channel, info);
  }

  publishLeave(channel: string, info: ClientInfo): Promise<void> {
    return this.#inner.publishLeave(channel, info);
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    const log = this.#recorder.log(channel);
    log.touch();
    const incarnation = log.current as Incarnation;
    const all = log.retainedAfter(filter.since?.offset ?? 0, this.#recorder.now());
    const found = filter.limit < 0 ? all : all.slice(0, filter.limit);
    const expected = `${incarnation.top} [${found}]`;
    return this.#inner.history(channel, filter, metaTtlMs).then(result => {
      this.#name(channel, incarnation, result.epoch);
      const actual = `${result.offset} [${result.publications.map(({ offset }) => offset)}]`;
      if (actual !== expected) {
        this.#recorder.violation(`a read of ${channel} found ${actual} instead of ${expected}`);
      }
      return result;
    });
  }

  removeHistory(channel: string): Promise<void> {
    this.#recorder.log(channel).trim();
    return this.#inner.removeHistory(channel);
  }

  renewEpoch(channel: string, seen: string): Promise<void> {
    this.#recorder.violation(`the node renewed epoch ${seen} of ${channel}, which lost nothing`);
    return this.#inner.renewEpoch(channel, seen);
  }

  removeStream(channel: string): Promise<void> {
    this.#recorder.log(channel).reset();
    return this.#inner.removeStream(channel);
  }

  #name(channel: string, incarnation: Incarnation, epoch: string): void {
    const fault = this.#recorder.log(channel).name(incarnation, epoch);
    if (fault !== null) this.#recorder.violation(`${channel}: ${fault}`);
  }
}
