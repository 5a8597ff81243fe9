import { applyDelta } from 'fossil-delta';
import type { ReceivedPublication, SubscribeAnswer, SubscribeCommand } from './link.ts';
import type { ChannelLog, Incarnation, Position } from './log.ts';
import { OPEN_FINDINGS } from './open-findings.ts';
import type { Weather } from './weather.ts';

/** What a client asks for when it subscribes. */
export interface Wish {
  readonly recover: boolean;
  readonly offset: number;
  readonly epoch: string;
  readonly delta: boolean;
  readonly compaction: boolean;
  readonly rejectUnrecovered: boolean;
}

/** One channel as the model sees it. */
export interface FollowedChannel {
  readonly name: string;
  readonly log: ChannelLog;
  readonly weather: Weather;
  /** Deltas are granted. */
  readonly delta: boolean;
  /** Numeric channel ids are granted. */
  readonly compaction: boolean;
  /** Others learn who is subscribed. */
  readonly announced: boolean;
  now(): number;
}

/** A subscribe whose answer has not been seen, and what has been true since it was sent. */
interface PendingSubscribe {
  readonly id: number;
  readonly wish: Wish;
  readonly incidents: number;
  readonly failures: number;
  /** Tops that a read may have found, for each incarnation of the stream. */
  readonly tops: Map<Incarnation, { least: number; most: number }>;
  /** At some moment the client's position could be continued. */
  mayRecover: boolean;
  /** At some moment it could not. */
  mayFail: boolean;
  /** Codes of unsubscribes by the server that may hit it. */
  readonly endings: number[];
}

/** A subscription that was answered. */
interface LiveSubscription {
  readonly incarnation: Incarnation;
  readonly delta: boolean;
  readonly incidents: number;
  readonly endings: number[];
  offset: number;
  /** The payload that patches apply to. A client that subscribes anew is taken to hold none. */
  base: Uint8Array | null;
  /** The server was told to end it. */
  mustEnd: boolean;
}

/**
 * One client's view of one channel. It believes nothing: everything that arrives is compared with the log, and
 * everything that should not arrive, or not yet, is a violation.
 */
export class Follower {
  readonly channel: FollowedChannel;
  readonly #violation: (text: string) => void;
  /** Where the client would continue. */
  last: Position | null = null;
  #pending: PendingSubscribe | null = null;
  #live: LiveSubscription | null = null;
  /** Id of the unsubscribe that is not answered. */
  #leaving: number | null = null;

  constructor(channel: FollowedChannel, violation: (text: string) => void) {
    this.channel = channel;
    this.#violation = text => violation(`${channel.name}: ${text}`);
  }

  get live(): boolean {
    return this.#live !== null;
  }

  get idle(): boolean {
    return this.#live === null && this.#pending === null && this.#leaving === null;
  }

  get subscribing(): boolean {
    return this.#pending !== null;
  }

  get leaving(): boolean {
    return this.#leaving !== null;
  }

  // What the client sends:

  subscribe(id: number, wish: Wish): SubscribeCommand {
    const { name, log, weather } = this.channel;
    this.#pending = {
      id,
      wish,
      incidents: this.#incidentsBefore(),
      failures: weather.failures,
      tops: new Map(),
      mayRecover: false,
      mayFail: false,
      endings: [],
    };
    log.watch(this.observe);
    this.observe();
    const { recover, offset, epoch, delta, compaction, rejectUnrecovered } = wish;
    const flag = (compaction ? 1 : 0) | (rejectUnrecovered ? 2 : 0);
    return { kind: 'subscribe', id, channel: name, recover, offset, epoch, delta, flag };
  }

  unsubscribe(id: number): void {
    this.#leaving = id;
  }

  /** The server is told to end this subscription, if it has one. */
  endedByServer(code: number): void {
    this.#pending?.endings.push(code);
    if (this.#live === null) return;
    this.#live.endings.push(code);
    this.#live.mustEnd = true;
  }

  /** Notes what is true of the stream at this moment; called whenever that may have changed. */
  readonly observe = (): void => {
    const pending = this.#pending;
    if (pending === null) return;
    const { log } = this.channel;
    if (log.continuesFrom(pending.wish, this.channel.now())) pending.mayRecover = true;
    else pending.mayFail = true;
    const { current } = log;
    if (current === null) return;
    const seen = pending.tops.get(current);
    if (seen === undefined) pending.tops.set(current, { least: current.top, most: current.top });
    else seen.most = current.top;
  };

  // What arrives:

  /** Answers whether the reply was one to a command of this follower. */
  replied(id: number, error: number, answer: SubscribeAnswer | null): boolean {
    if (id === this.#leaving) {
      this.#leaving = null;
      this.#live = null;
      if (error !== 0) this.#violation(`unsubscribe was refused with ${error}`);
      return true;
    }
    const pending = this.#pending;
    if (pending === null || id !== pending.id) return false;
    this.#settle();
    if (answer !== null) this.#subscribed(pending, answer);
    else this.#refused(pending, error);
    return true;
  }

  published(publication: ReceivedPublication): void {
    if (this.#live === null) {
      const where = this.#pending === null ? 'without a subscription' : 'before the reply';
      this.#violation(`publication ${publication.offset} arrived ${where}`);
    } else this.#take(this.#live, publication);
  }

  announced(): void {
    if (this.#live === null) this.#violation('a join or leave arrived without a subscription');
  }

  unsubscribed(code: number): void {
    const live = this.#live;
    this.#live = null;
    if (live === null) {
      if (OPEN_FINDINGS.lateUnsubscribePush && this.channel.announced) return;
      this.#violation(`unsubscribe push ${code} arrived without a subscription`);
    } else if (code === 2500) {
      if (!this.#isDisturbed(live.incidents)) this.#violation('continuity was called lost, and nothing was');
    } else if (!live.endings.includes(code)) this.#violation(`unsubscribe push ${code} out of thin air`);
  }

  /** The connection is gone. */
  disconnected(): void {
    this.#settle();
    this.#live = null;
    this.#leaving = null;
  }

  // What the end of a connection may be due to:

  get subscribeMayBeInconsistent(): boolean {
    return this.#pending !== null && this.#isDisturbed(this.#pending.incidents);
  }

  get brokerFailedDuringSubscribe(): boolean {
    return this.#pending !== null && this.channel.weather.failures > this.#pending.failures;
  }

  /** When all is calm: does the client have everything? */
  checkComplete(): void {
    const live = this.#live;
    if (live === null) return;
    const { current } = this.channel.log;
    if (live.mustEnd) this.#violation('the server did not end the subscription');
    if (live.incarnation !== current || live.offset !== current.top) {
      this.#violation(
        `the client is at ${describe(live.incarnation, live.offset)}, the stream at ${
          current === null ? 'nothing' : describe(current, current.top)
        }`,
      );
    }
  }

  #settle(): void {
    this.#pending = null;
    this.channel.log.unwatch(this.observe);
  }

  #subscribed(pending: PendingSubscribe, answer: SubscribeAnswer): void {
    const { wish } = pending;
    const { epoch, offset, recovered, publications } = answer;
    const incarnation = this.channel.log.incarnation(epoch);
    const tops = incarnation === undefined ? undefined : pending.tops.get(incarnation);
    if (incarnation === undefined || tops === undefined) {
      this.#violation(`the epoch of the result, '${epoch}', was not that of the stream`);
      return;
    }
    if (answer.wasRecovering !== wish.recover) this.#violation('was_recovering is wrong');
    if (!answer.positioned || !answer.recoverable) this.#violation('the subscription has no position');
    if (answer.delta !== (wish.delta && this.channel.delta)) this.#violation('delta is wrong');
    if (answer.channelId > 0 !== (wish.compaction && this.channel.compaction)) this.#violation('id is wrong');
    const { incidents, endings } = pending;
    const live = { incarnation, delta: answer.delta, incidents, endings, offset, base: null, mustEnd: false };
    this.#live = live;
    this.last = { offset, epoch };
    if (recovered) {
      if (!wish.recover || !pending.mayRecover) this.#violation('recovered, although continuity is broken');
      if (offset !== wish.offset) this.#violation(`recovered from ${offset} instead of ${wish.offset}`);
    } else {
      if (wish.recover && !pending.mayFail) this.#violation('not recovered, although everything was there');
      if (wish.recover && wish.rejectUnrecovered)
        this.#violation('not recovered, instead of refused with 112');
      if (publications.length > 0) this.#violation('not recovered, but with publications');
    }
    for (const publication of publications) this.#take(live, publication);
    if (live.offset < tops.least || live.offset > tops.most) {
      this.#violation(`the result ends at ${live.offset}, the stream was at ${tops.least} to ${tops.most}`);
    }
  }

  #refused({ wish, mayFail }: PendingSubscribe, error: number): void {
    const rightly = error === 112 && wish.recover && wish.rejectUnrecovered && mayFail;
    if (!rightly) this.#violation(`subscribe was refused with ${error}`);
    // The position is worth nothing: the application reloads its state and starts anew.
    this.last = null;
  }

  #take(live: LiveSubscription, publication: ReceivedPublication): void {
    const { incarnation } = live;
    const { offset } = publication;
    if (offset !== live.offset + 1) {
      this.#violation(`publication ${offset} after ${describe(incarnation, live.offset)}`);
    }
    const payload = this.#payload(live, publication);
    const text = Buffer.from(payload).toString();
    const expected = incarnation.textAt(offset);
    if (text !== expected) {
      this.#violation(`payload of ${describe(incarnation, offset)} is ${text}, published was ${expected}`);
    }
    live.offset = offset;
    live.base = payload;
    this.last = { offset, epoch: incarnation.epoch };
  }

  #payload({ delta: negotiated, base }: LiveSubscription, publication: ReceivedPublication): Uint8Array {
    const { bytes, delta, quoted, offset } = publication;
    if (quoted !== null && quoted !== negotiated) this.#violation(`payload ${offset} is in the wrong form`);
    if (!delta) return bytes;
    if (!negotiated) this.#violation(`publication ${offset} is a patch, which was not agreed`);
    if (base === null) {
      this.#violation(`publication ${offset} is a patch, and the client holds no base`);
      return bytes;
    }
    try {
      return applyDelta(Uint8Array.from(base), Uint8Array.from(bytes));
    } catch (error) {
      this.#violation(`the patch of publication ${offset} does not apply: ${String(error)}`);
      return bytes;
    }
  }

  /** What is under way when a subscribe begins may still hit it. */
  #incidentsBefore(): number {
    const { weather } = this.channel;
    return weather.publicationsUnderWay ? -1 : weather.incidents;
  }

  #isDisturbed(before: number): boolean {
    return this.channel.weather.incidents > before;
  }
}

function describe({ epoch }: Incarnation, offset: number): string {
  return `${offset} of ${epoch === '' ? 'a stream without name' : epoch}`;
}
