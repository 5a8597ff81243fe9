import { encodePublicationRecord } from '@msg/protocol/internal';
import type { RedisArgument } from '@msg/redis';
import { END_BYTES } from '../../../append/bounds.ts';
import type {
  AppendCancel,
  AppendingOptions,
  AppendStatus,
  FinalStatus,
  PreparedAppend,
  StoredAppend,
} from '../../../append/contract.ts';
import { endTags } from '../../../append/end-tags.ts';
import { growthOf, type Tail } from '../../../append/growth.ts';
import { decideByNumbers } from '../../../append/numbers.ts';
import type { PreparedOp } from '../../../append/prepared-op.ts';
import { type AppendRefused, differentMessage, documentTooLarge } from '../../../append/refusal.ts';
import { DEFAULT_META_TTL_MS } from '../../contract.ts';

/** In place of what a request does not say. */
const UNSAID = '*';
const OPENED = 1;
const AFTER_STATE = 4;

/** The tails by their letters. */
export const TAILS: Readonly<Record<string, Tail>> = { t: 'text', o: 'open', c: 'closed' };

/** What a request to append needs besides itself. */
export interface AppendContext {
  readonly options: AppendingOptions;
  readonly now: number;
  readonly epoch: string;
  readonly messages: string;
  readonly command: string;
}

/** Arguments of the script that appends. */
export function appendArguments(
  request: PreparedAppend,
  { options, now, epoch, messages, command }: AppendContext,
): RedisArgument[] {
  const { message, producer, seq, ops, takeOver } = request;
  const { append, ttlMs, size, metaTtlMs = DEFAULT_META_TTL_MS } = options;
  const last = ops.at(-1);
  const args: RedisArgument[] = [
    message,
    producer,
    seq,
    ops.length,
    takeOver === true ? '1' : '',
    said(request),
    append.orphanMs,
    append.maxBytes - END_BYTES,
    ttlMs,
    size,
    metaTtlMs,
    epoch,
    messages,
    command,
    last?.kind === 'status' ? endRecord(message, last.status, now) : '',
  ];
  for (const op of ops) args.push(...operationArguments(op));
  return args;
}

/** Arguments of the script that adds text; null for a request that does more. */
export function textArguments(
  request: PreparedAppend,
  { options, messages, command }: Omit<AppendContext, 'now' | 'epoch'>,
): RedisArgument[] | null {
  const { message, producer, seq, ops, takeOver } = request;
  if (seq === 1 || takeOver === true || said(request) !== '') return null;
  const text = textOf(ops);
  if (text === null) return null;
  const { append, ttlMs, metaTtlMs = DEFAULT_META_TTL_MS } = options;
  const most = append.maxBytes - END_BYTES;
  return [message, producer, seq, ops.length, text, most, ttlMs, metaTtlMs, messages, command];
}

/** The text that operations add; null when they do something else, or nothing. */
function textOf(ops: readonly PreparedOp[]): Uint8Array | null {
  const texts: Uint8Array[] = [];
  for (const op of ops) {
    if (op.kind !== 'text') return null;
    texts.push(op.bytes);
  }
  const [first = new Uint8Array(0)] = texts;
  const text = texts.length === 1 ? first : Buffer.concat(texts);
  return text.length === 0 ? null : text;
}

/** What a request says about its message besides the operations; empty for nearly every one but the first. */
function said({ format, run, input, orphanMs }: PreparedAppend): string {
  if (format === undefined && run === undefined && input === undefined && orphanMs === undefined) return '';
  const orphan = orphanMs === undefined ? UNSAID : Math.round(orphanMs);
  return [format ?? UNSAID, run ?? UNSAID, input ?? UNSAID, orphan].join('\n');
}

function operationArguments(op: PreparedOp): [string, RedisArgument] {
  switch (op.kind) {
    case 'text':
      return ['t', op.bytes];
    case 'item':
      return [op.open ? 'o' : 'i', op.bytes];
    case 'meta':
      return ['m', op.bytes];
    case 'status':
      return ['s', `${op.status}:${jsonReason(op.reason)}`];
  }
}

/** A reason as it stands in a head; empty: none. */
function jsonReason(reason: string): string {
  return reason === '' ? '' : JSON.stringify(reason);
}

/** What the record of an end has besides its document. */
export function endRecord(message: string, status: FinalStatus, now: number): Uint8Array {
  return encodePublicationRecord({ tags: endTags(message, status), time: now });
}

/** What the script says of a request that was applied; its flags are null when it published nothing. */
export interface AppliedAppend {
  readonly result: StoredAppend;
  readonly flags: number | null;
  readonly deadline: number;
}

/** The answer of the script that adds text. */
export function textResult(
  [offset, epoch, size, flags]: readonly unknown[],
  { seq, ops }: PreparedAppend,
): AppliedAppend {
  const result = {
    seq: seq + ops.length - 1,
    offset: Number(offset),
    epoch: String(epoch),
    status: 'streaming' as const,
    size: Number(size),
    duplicates: 0,
    cancel: null,
  };
  return applied(result, Number(flags), 0);
}

/** The answer to a request that was applied. */
export function appendResult([, ...values]: readonly string[]): AppliedAppend {
  const [seq, offset, epoch, status, size, duplicates, cancel, flags, deadline] = values as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const result = {
    seq: Number(seq),
    offset: Number(offset),
    epoch,
    status: status as AppendStatus,
    size: Number(size),
    duplicates: Number(duplicates),
    cancel: parsedCancel(cancel),
  };
  return applied(result, flags === '' ? null : Number(flags), Number(deadline));
}

function applied(stored: StoredAppend, flags: number | null, deadline: number): AppliedAppend {
  const isInFull = flags !== null && (flags & (OPENED | AFTER_STATE)) === 0;
  return { result: isInFull ? { ...stored, inFull: true } : stored, flags, deadline };
}

/** Whether a flush opened its message. */
export function isOpening(flags: number | null): boolean {
  return flags !== null && (flags & OPENED) !== 0;
}

/** A cancel as it is stored: the reason of an end by it, as JSON, then the cancel. */
export function packedCancel(cancel: AppendCancel, reason: string): string {
  return `${JSON.stringify(reason)}\n${JSON.stringify(cancel)}`;
}

export function parsedCancel(packed: string): AppendCancel | null {
  return packed === '' ? null : JSON.parse(packed.slice(packed.indexOf('\n') + 1));
}

/** Why the script refused a request, by its answer: {@link decideByNumbers} and {@link growthOf} say it in words. */
export function refusalOf(
  [name, ...values]: readonly string[],
  { message, producer, seq, ops, takeOver = false }: PreparedAppend,
  { append }: AppendingOptions,
): AppendRefused | Error {
  try {
    if (name === 'size') return documentTooLarge(Number(values[0]), append.maxBytes);
    if (name === 'differs') return differentMessage();
    if (name === 'growth') {
      const [skip, tail = '', length] = values;
      growthOf(ops, Number(skip), TAILS[tail] ?? 'closed', Number(length));
    } else {
      const [openMessage = '', openProducer = '', openSeq, endedBy = '', endedSeq, status] = values;
      const open =
        openMessage === '' ? null : { message: openMessage, producer: openProducer, seq: Number(openSeq) };
      const ended =
        endedBy === '' ? null : { producer: endedBy, seq: Number(endedSeq), status: status as FinalStatus };
      decideByNumbers(open, ended, { message, producer, seq, count: ops.length, takeOver });
    }
  } catch (error) {
    return error as Error;
  }
  return new Error(`the store refused a request to append: ${name}`);
}
