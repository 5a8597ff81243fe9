import { Payload } from '@msg/protocol';
import { CANCEL_GRACE_MS, END_BYTES } from '../append/bounds.ts';
import { cancelReason } from '../append/cancel-reason.ts';
import type { AppendCancel, AppendEnder, AppendingOptions, PreparedAppend } from '../append/contract.ts';
import { AppendDocument } from '../append/document.ts';
import { endTags } from '../append/end-tags.ts';
import { type Growth, growthOf } from '../append/growth.ts';
import { AppendRefused, documentTooLarge } from '../append/refusal.ts';
import { CompactedStream } from '../stream/compacted-stream.ts';
import { newPublication } from '../stream/publication.ts';
import { ChannelAppends, dueOf, type OpenMessage } from './channel-appends.ts';
import { DEFAULT_META_TTL_MS } from './contract.ts';
import type { ChannelRecord, MemoryRecords } from './memory-record.ts';

/** How long an ended message is remembered at least, milliseconds (append streams 4). */
const ENDED_MS = 300_000;
/** Ended messages of one channel that are remembered. */
const MAX_ENDED = 10_000;
const NO_BYTES = new Uint8Array(0);

/** The open messages of the memory broker: how they open, grow and end. */
export class OpenMessages {
  readonly #records: MemoryRecords;
  readonly #most: number;
  #count = 0;

  constructor(records: MemoryRecords, most: number) {
    this.#records = records;
    this.#most = most;
  }

  /** Open messages of all channels. */
  get count(): number {
    return this.#count;
  }

  /** Opens the message of a request, with its operations. */
  open(channel: string, request: PreparedAppend, options: AppendingOptions, now: number): OpenMessage {
    const {
      message: id,
      run = '',
      input = '',
      format = 'text',
      orphanMs = options.append.orphanMs,
    } = request;
    if (this.#count >= this.#most)
      throw new AppendRefused('limited', `more than ${this.#most} messages are open on this node; end some`);
    const fields = { id, status: 'streaming', reason: '', run, input, meta: null, format } as const;
    const document = new AppendDocument(fields);
    const growth = fittingGrowth(document, request, 0, options);
    const record = this.#records.create(channel, now);
    record.appends ??= new ChannelAppends();
    const open: OpenMessage = {
      message: id,
      producer: request.producer,
      seq: request.ops.length,
      document,
      state: null,
      offset: 0,
      orphanMs,
      deadline: 0,
      cancel: null,
      cancelDeadline: 0,
      ttlMs: options.ttlMs,
      size: options.size,
    };
    record.appends.open = open;
    this.#count++;
    this.prolong(record, open, options, now);
    const early = record.appends.early.get(input);
    record.appends.early.delete(input);
    if (early !== undefined) this.cancel(record, open, early.cancel, now);
    this.flush(channel, record, open, growth);
    return open;
  }

  /** Every request of the producer keeps the message, its entry and the stream alive. */
  prolong(record: ChannelRecord, open: OpenMessage, options: AppendingOptions, now: number): void {
    const { metaTtlMs = DEFAULT_META_TTL_MS, ttlMs, size } = options;
    open.deadline = now + open.orphanMs;
    open.ttlMs = ttlMs;
    open.size = size;
    record.itemsExpireAt = now + ttlMs;
    this.#records.stream(record, Math.max(metaTtlMs, 2 * open.orphanMs), now);
    this.#records.arm(record, open.deadline);
  }

  cancel(record: ChannelRecord, open: OpenMessage, cancel: AppendCancel, now: number): void {
    if (open.cancel !== null) return;
    open.cancel = cancel;
    open.cancelDeadline = now + CANCEL_GRACE_MS;
    this.#records.arm(record, open.cancelDeadline);
  }

  /** Publishes the document after a growth. */
  flush(
    channel: string,
    record: ChannelRecord,
    open: OpenMessage,
    growth: Growth,
    ender: AppendEnder = 'producer',
  ): void {
    const stream = compactedStream(record);
    const opened = open.state === null;
    const previous = open.offset === stream.top ? open.state : null;
    const document = open.document.grow(growth);
    const { end } = growth;
    const data =
      end === null ? Payload.ofJsonLater(() => document.toBytes()) : Payload.ofJson(document.toBytes());
    const tags = end === null ? {} : { tags: endTags(open.message, end.status) };
    const publication = newPublication(data, stream.top + 1, tags, this.#records.clock.now());
    open.state = document;
    open.offset = publication.offset;
    if (end === null) stream.appendState(publication);
    else {
      stream.endState(publication, open.size);
      this.#remember(record, open, document.size, end);
    }
    const position = { offset: publication.offset, epoch: stream.epoch };
    const ended = end !== null;
    const state = { publication, position, document, previous, opened, ended };
    this.#records.events?.flushed?.(channel, end === null ? null : { status: end.status, by: ender });
    this.#records.events?.appended(channel, ended ? { ...state, endedBy: ender } : state);
  }

  /** Ends the open message if its time has come, and forgets what has expired. */
  endDue(channel: string, record: ChannelRecord, now: number): void {
    const { appends } = record;
    if (appends === null) return;
    const { open } = appends;
    if (open !== null && dueOf(open) <= now) this.#endAlone(channel, record, open, now);
    appends.expire(now);
  }

  /** The record's stream is gone, and its open message with it. */
  forget(record: ChannelRecord): void {
    if (record.appends === null || record.appends.open === null) return;
    record.appends.open = null;
    this.#count--;
  }

  #endAlone(channel: string, record: ChannelRecord, open: OpenMessage, now: number): void {
    const { cancel, cancelDeadline, document } = open;
    const isCancel = cancel !== null && cancelDeadline <= now;
    const end = isCancel
      ? ({ status: 'cancelled', reason: cancelReason(cancel) } as const)
      : ({ status: 'failed', reason: 'orphaned' } as const);
    const growth = { bytes: NO_BYTES, tail: document.tail, meta: null, end };
    this.flush(channel, record, open, growth, isCancel ? 'cancel' : 'orphan');
  }

  #remember(record: ChannelRecord, open: OpenMessage, size: number, end: NonNullable<Growth['end']>): void {
    const appends = record.appends as ChannelAppends;
    const { message, producer, seq, document, offset, cancel, ttlMs } = open;
    const { run, input, format } = document.fields;
    const now = this.#records.clock.monotonic();
    const expiresAt = now + Math.max(ENDED_MS, ttlMs);
    appends.open = null;
    this.#count--;
    appends.ended.set(message, {
      ...end,
      producer,
      seq,
      run,
      input,
      format,
      offset,
      size,
      cancel,
      outcome: null,
      outcomeExpiresAt: 0,
      expiresAt,
    });
    if (appends.ended.size > MAX_ENDED) appends.ended.delete(appends.ended.keys().next().value as string);
    record.itemsExpireAt = now + ttlMs;
    this.#records.arm(record, Math.min(expiresAt, record.itemsExpireAt));
  }
}

/** The growth by the operations from `skip` on; throws for what the document cannot take. */
export function fittingGrowth(
  document: AppendDocument,
  { ops }: PreparedAppend,
  skip: number,
  { append: { maxBytes } }: AppendingOptions,
): Growth {
  const growth = growthOf(ops, skip, document.tail, document.bodyLength);
  const grows = growth.bytes.length > 0 || growth.meta !== null;
  const size = document.sizeAfter(growth);
  if (grows && size > maxBytes - END_BYTES) throw documentTooLarge(size, maxBytes);
  return growth;
}

/** The first message of a channel turns its window into one with gaps. */
function compactedStream(record: ChannelRecord): CompactedStream {
  const { stream } = record;
  if (stream === null) throw new Error('a message is open without a stream');
  if (stream instanceof CompactedStream) return stream;
  const compacted = new CompactedStream(stream);
  record.stream = compacted;
  return compacted;
}
