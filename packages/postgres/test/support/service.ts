import { MsgError } from '@msg/core';
import type { OutboxItem, OutboxItemError, OutboxOutcome, OutboxPublisher } from '../../src/index.ts';

/** What the service answers for an item; undefined: it publishes. */
export type ItemRule = (item: OutboxItem) => OutboxItemError | undefined;

/** The streams of a service, which compare versions as the broker does (client protocol 10.2). */
export class Service implements OutboxPublisher {
  /** Payloads as texts, by channel. */
  readonly streams = new Map<string, string[]>();
  /** Items of all requests, in order. */
  readonly received: OutboxItem[] = [];
  readonly requests: (readonly OutboxItem[])[] = [];
  /** Channels without history: versions are not compared there. */
  readonly withoutHistory = new Set<string>();
  rule: ItemRule = () => undefined;
  /** Called before a request is carried out; throws instead of it. */
  before: (items: readonly OutboxItem[]) => void | Promise<void> = () => undefined;
  /** Called after a request was carried out; throws in place of the answer. */
  after: () => void | Promise<void> = () => undefined;
  /** Breaks the rule that a failure stops its channel. */
  goesOn = false;
  readonly #versions = new Map<string, { readonly epoch: string; readonly version: number }>();

  async publishMany(items: readonly OutboxItem[]): Promise<readonly OutboxOutcome[]> {
    this.requests.push(items);
    await this.before(items);
    const failed = new Set<string>();
    const outcomes = items.map(item => this.#publish(item, failed));
    await this.after();
    return outcomes;
  }

  async positionOf(name: string): Promise<{ readonly epoch: string }> {
    return { epoch: this.withoutHistory.has(name) ? '' : 'epoch' };
  }

  /** What the stream of a channel holds. */
  stream(channel: string): readonly string[] {
    return this.streams.get(channel) ?? [];
  }

  #publish(item: OutboxItem, failed: Set<string>): OutboxOutcome {
    const none = { offset: 0, epoch: '', suppressed: false };
    if (failed.has(item.name) && !this.goesOn) {
      return { ...none, error: { code: 'MSG_BROKER_NOT_READY', message: 'skipped' } };
    }
    this.received.push(item);
    const error = this.rule(item);
    if (error !== undefined) {
      failed.add(item.name);
      return { ...none, error };
    }
    const stored = this.#versions.get(item.name);
    const isOld = stored?.epoch === item.versionEpoch && stored.version >= item.version;
    if (isOld && !this.withoutHistory.has(item.name)) return { ...none, suppressed: true, error: undefined };
    this.#versions.set(item.name, { epoch: item.versionEpoch, version: item.version });
    const stream = this.streams.get(item.name) ?? [];
    this.streams.set(item.name, stream);
    stream.push(new TextDecoder().decode(item.payload));
    return { offset: stream.length, epoch: 'epoch', suppressed: false, error: undefined };
  }
}

/** An answer of the service to a whole request. */
export function answer(code: 'MSG_BROKER_NOT_READY' | 'MSG_AUTH_DENIED' | 'MSG_INVALID_ARGUMENT'): MsgError {
  return new MsgError(code, 'refused');
}
