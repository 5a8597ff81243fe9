import { CLAIM_MS, EARLY_CANCEL_MS, MAX_EARLY_CANCELS } from '../append/bounds.ts';
import type {
  AppendCancel,
  AppendingOptions,
  AppendOutcome,
  AppendResult,
  AppendState,
  AppendStore,
  CancelTarget,
  PreparedAppend,
} from '../append/contract.ts';
import { decideByNumbers } from '../append/numbers.ts';
import { AppendRefused, differentMessage, tooManyCancels } from '../append/refusal.ts';
import { requireAppends } from '../append/require-appends.ts';
import type { StreamOptions } from '../stream/contract.ts';
import { endedResult, endedState, openResult, openState } from './append-answers.ts';
import { ChannelAppends, type OpenMessage } from './channel-appends.ts';
import type { ChannelRecord, MemoryRecords } from './memory-record.ts';
import { fittingGrowth, type OpenMessages } from './open-messages.ts';

/** Append streams in this process. Every call is one synchronous step. */
export class MemoryAppends implements AppendStore {
  readonly #records: MemoryRecords;
  readonly #messages: OpenMessages;

  constructor(records: MemoryRecords, messages: OpenMessages) {
    this.#records = records;
    this.#messages = messages;
  }

  append(channel: string, request: PreparedAppend, stream: StreamOptions): AppendResult {
    const options = requireAppends(stream);
    const now = this.#records.clock.monotonic();
    const record = this.#current(channel, now);
    const appends = record?.appends ?? null;
    const { message, producer, seq, ops, takeOver = false } = request;
    const ended = appends?.ended.get(message) ?? null;
    const numbers = { message, producer, seq, count: ops.length, takeOver };
    const decision = decideByNumbers(appends?.open ?? null, ended, numbers);
    if (record === undefined || decision.kind === 'open') {
      const open = this.#messages.open(channel, request, options, now);
      return openResult(this.#records.create(channel, now), open, 0);
    }
    if (decision.kind === 'ended' && ended !== null) return endedResult(record, ended, ops.length);
    const skip = decision.kind === 'grow' ? decision.skip : 0;
    return this.#grow(channel, record, request, skip, options, now);
  }

  state(channel: string, message: string | null): AppendState | null {
    const record = this.#current(channel, this.#records.clock.monotonic());
    const appends = record?.appends ?? null;
    if (record === undefined || appends === null) return null;
    const { open, ended } = appends;
    if (open !== null && (message === null || message === open.message)) return openState(record, open);
    const id = message ?? [...ended.keys()].at(-1);
    const last = id === undefined ? undefined : ended.get(id);
    return id === undefined || last === undefined ? null : endedState(record, id, last);
  }

  cancel(channel: string, { message, input }: CancelTarget, cancel: AppendCancel): AppendState | null {
    const now = this.#records.clock.monotonic();
    const record = this.#current(channel, now);
    const open = record?.appends?.open ?? null;
    const isMeant =
      open !== null &&
      (message ?? open.message) === open.message &&
      (input ?? inputOf(open)) === inputOf(open);
    if (record !== undefined && isMeant) {
      this.#messages.cancel(record, open, cancel, now);
      return openState(record, open);
    }
    if (message === undefined && input !== undefined) return this.#cancelEarly(channel, input, cancel, now);
    const state = message === undefined ? null : this.state(channel, message);
    if (state === null || (input ?? state.input) !== state.input)
      throw new AppendRefused('not_found', 'there is no such message to cancel');
    return state;
  }

  claimOutcome(channel: string, message: string): AppendOutcome | null {
    const now = this.#records.clock.monotonic();
    const ended = this.#current(channel, now)?.appends?.ended.get(message);
    if (ended === undefined) throw new AppendRefused('not_found', 'there is no such message');
    const { outcome, outcomeExpiresAt } = ended;
    if (outcome !== null && (outcome !== 'pending' || outcomeExpiresAt > now)) return outcome;
    ended.outcome = 'pending';
    ended.outcomeExpiresAt = now + CLAIM_MS;
    return null;
  }

  storeOutcome(channel: string, message: string, outcome: AppendOutcome): void {
    const ended = this.#current(channel, this.#records.clock.monotonic())?.appends?.ended.get(message);
    if (ended !== undefined) ended.outcome = outcome;
  }

  get openMessages(): number {
    return this.#messages.count;
  }

  /** The channel's record after everything that is due. */
  #current(channel: string, now: number): ChannelRecord | undefined {
    const record = this.#records.existing(channel, now);
    if (record !== undefined) this.#messages.endDue(channel, record, now);
    return record;
  }

  #grow(
    channel: string,
    record: ChannelRecord,
    request: PreparedAppend,
    skip: number,
    options: AppendingOptions,
    now: number,
  ): AppendResult {
    const open = record.appends?.open as OpenMessage;
    requireSameMessage(open, request);
    const { ops, seq, producer } = request;
    const isNew = skip < ops.length;
    const growth = isNew ? fittingGrowth(open.document, request, skip, options) : null;
    this.#messages.prolong(record, open, options, now);
    open.producer = producer;
    if (isNew) open.seq = seq + ops.length - 1;
    if (growth !== null && (growth.bytes.length > 0 || growth.meta !== null || growth.end !== null))
      this.#messages.flush(channel, record, open, growth);
    return openResult(record, open, skip);
  }

  #cancelEarly(channel: string, input: string, cancel: AppendCancel, now: number): AppendState | null {
    const record = this.#records.create(channel, now);
    record.appends ??= new ChannelAppends();
    const { early, ended } = record.appends;
    for (const [id, message] of ended) if (message.input === input) return endedState(record, id, message);
    if (early.has(input)) return null;
    if (early.size >= MAX_EARLY_CANCELS) throw tooManyCancels();
    const expiresAt = now + EARLY_CANCEL_MS;
    early.set(input, { cancel, expiresAt });
    this.#records.arm(record, expiresAt);
    return null;
  }
}

function requireSameMessage({ document, orphanMs }: OpenMessage, request: PreparedAppend): void {
  const { format, run, input } = document.fields;
  const isSame =
    (request.format ?? format) === format &&
    (request.run ?? run) === run &&
    (request.input ?? input) === input &&
    (request.orphanMs ?? orphanMs) === orphanMs;
  if (!isSame) throw differentMessage();
}

function inputOf({ document }: OpenMessage): string {
  return document.fields.input;
}
