import type { ChannelTap, Publication, StreamPosition } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { type ShownPublication, shownPublication } from '../publishing/channel-history.ts';

/** Bytes of one batch, at most. */
const MAX_BATCH_BYTES = 256 * 1024;
/** What an item has besides its payload and its tags, about. */
const ITEM_BYTES = 200;

/** What a tail shows, and how much of it. */
export interface TailRequest {
  readonly name: string;
  readonly perSecond: number;
  readonly maxPayloadBytes: number;
  /** Only publications with all of these. */
  readonly tags: ReadonlyMap<string, string>;
  /** The caller sees payloads. */
  readonly isShown: boolean;
}

export interface TailItem extends ShownPublication {
  readonly hidden: boolean;
}

/** What passed since the tail began, or since its stream began anew, and what of it is shown now. */
export interface TailBatch {
  readonly items: readonly TailItem[];
  readonly epoch: string;
  readonly fromOffset: number;
  readonly toOffset: number;
  /** Publications that passed: shown in all batches, and skipped. */
  readonly seen: number;
  readonly skipped: number;
}

/**
 * Shows a part of what is published in a channel: as many publications in a second as its caller asked for, and numbers
 * of the rest. It does not count as a subscriber. Source: console, section 7.4.
 */
export class Tail implements ChannelTap {
  readonly request: TailRequest;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #isListening: () => boolean;
  /** Undefined until the begin is known: what passes before is counted, and not shown. */
  #from: number | undefined;
  #to = 0;
  #epoch = '';
  /** Publications without an offset. */
  #unnumbered = 0;
  #sent = 0;
  #tokens: number;
  #filledAt: number;
  #items: TailItem[] = [];
  #bytes = 0;
  #changed = false;
  /** Batches of streams before this one. */
  #past: TailBatch[] = [];

  /** @param isListening whether the feed has a subscriber: without one nothing is encoded */
  constructor(request: TailRequest, clock: Pick<Clock, 'monotonic'>, isListening: () => boolean) {
    this.request = request;
    this.#clock = clock;
    this.#isListening = isListening;
    this.#tokens = request.perSecond;
    this.#filledAt = clock.monotonic();
  }

  /** The top of the stream at the begin; an epoch of another stream than what passed meanwhile is an old one. */
  begin({ offset, epoch }: StreamPosition): void {
    const isSame = this.#epoch === '' || this.#epoch === epoch;
    this.#from = isSame ? offset : 0;
    if (!isSame) return;
    this.#epoch = epoch;
    this.#to = Math.max(this.#to, offset);
  }

  published(publication: Publication, { offset, epoch }: StreamPosition): void {
    if (offset === 0) this.#unnumbered++;
    else {
      if (epoch !== this.#epoch) this.#beginAnew(epoch);
      if (offset <= this.#to) return; // a repetition
      this.#to = offset;
    }
    this.#changed = true;
    if (this.#from !== undefined && this.#matches(publication) && this.#isListening() && this.#take())
      this.#add(publication);
  }

  /** What is to be sent; with `always`, also when nothing has passed. */
  take(always: boolean): readonly TailBatch[] {
    if (this.#from === undefined || !(always || this.#changed)) return [];
    const batches = [...this.#past, this.#batch()];
    this.#past = [];
    return batches;
  }

  #batch(): TailBatch {
    const from = this.#from ?? 0;
    const seen = this.#to - from + this.#unnumbered;
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    this.#changed = false;
    return {
      items,
      epoch: this.#epoch,
      fromOffset: from,
      toOffset: this.#to,
      seen,
      skipped: seen - this.#sent,
    };
  }

  /** The stream was lost and begins with another epoch: offsets are counted from 0 again. */
  #beginAnew(epoch: string): void {
    if (this.#epoch !== '' && this.#from !== undefined) {
      this.#past.push(this.#batch());
      this.#from = 0;
      this.#unnumbered = 0;
      this.#sent = 0;
    }
    this.#to = 0;
    this.#epoch = epoch;
  }

  #matches({ tags }: Publication): boolean {
    for (const [name, value] of this.request.tags) if (tags.get(name) !== value) return false;
    return true;
  }

  #take(): boolean {
    const { perSecond } = this.request;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(perSecond, this.#tokens + ((now - this.#filledAt) * perSecond) / 1000);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #add(publication: Publication): void {
    const { maxPayloadBytes, isShown } = this.request;
    const row = shownPublication(publication, maxPayloadBytes);
    const item = isShown ? { ...row, hidden: false } : { ...row, data: '', truncated: false, hidden: true };
    let bytes = ITEM_BYTES + Buffer.byteLength(item.data);
    for (const [name, value] of item.tags) bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (this.#bytes + bytes > MAX_BATCH_BYTES) return;
    this.#bytes += bytes;
    this.#items.push(item);
    this.#sent++;
  }
}
