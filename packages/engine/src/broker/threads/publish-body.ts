import { defined } from '@msg/foundation/json';
import { type ClientInfo, Payload } from '@msg/protocol';
import { decodeClientInfo, encodeClientInfo } from '@msg/protocol/internal';
import type { AppendOptions } from '../../stream/contract.ts';
import type { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { PublishOptions, PublishResult, StreamOptions } from '../contract.ts';

/** The arguments of a publish. */
export interface PublishArguments {
  readonly channel: string;
  readonly data: Payload;
  readonly stream: StreamOptions;
  readonly options: PublishOptions;
}

const DELTA = 1;
const VOLATILE = 2;
const INFO = 4;
const KEY = 8;
const APPEND = 16;

/** Writes the arguments of a publish; absent numbers are NaN. */
export function writePublish(
  to: BodyWriter,
  { channel, data, stream, options }: PublishArguments,
): BodyWriter {
  const { info, idempotencyKey, tags } = options;
  const flags =
    (options.delta === true ? DELTA : 0) |
    (options.volatile === true ? VOLATILE : 0) |
    (info === undefined ? 0 : INFO) |
    (idempotencyKey === undefined ? 0 : KEY) |
    (stream.append === undefined ? 0 : APPEND);
  to.u8(flags)
    .text(channel)
    .f64(stream.size)
    .f64(stream.ttlMs)
    .f64(stream.metaTtlMs ?? NaN);
  if (stream.append !== undefined) writeAppend(to, stream.append);
  to.f64(options.version ?? NaN).text(options.versionEpoch ?? '');
  if (info !== undefined) to.bytes(encodeClientInfo(info));
  if (idempotencyKey !== undefined) to.text(idempotencyKey).f64(options.idempotencyTtlMs ?? NaN);
  to.u32(tags?.size ?? 0);
  for (const [name, value] of tags ?? []) to.text(name).text(value);
  return to.rest(data.bytes);
}

export function readPublish(from: BodyReader): PublishArguments {
  const flags = from.u8();
  const channel = from.text();
  const [size, ttlMs, metaTtlMs] = [from.f64(), from.f64(), numberOf(from)];
  const append = (flags & APPEND) === 0 ? undefined : readAppend(from);
  const stream: StreamOptions = defined({ size, ttlMs, metaTtlMs, append });
  const version = numberOf(from);
  const versionEpoch = from.text();
  const info = (flags & INFO) === 0 ? undefined : decodeClientInfo(from.bytes());
  const idempotencyKey = (flags & KEY) === 0 ? undefined : from.text();
  const idempotencyTtlMs = (flags & KEY) === 0 ? undefined : numberOf(from);
  const options: PublishOptions = defined({
    delta: (flags & DELTA) !== 0,
    volatile: (flags & VOLATILE) !== 0,
    version,
    versionEpoch: versionEpoch === '' ? undefined : versionEpoch,
    info,
    idempotencyKey,
    idempotencyTtlMs,
    tags: tagsOf(from),
  });
  return { channel, data: new Payload(from.rest()), stream, options };
}

export function writeResult(to: BodyWriter, { offset, epoch, suppressed }: PublishResult): BodyWriter {
  return to
    .u8(suppressed ? 1 : 0)
    .f64(offset)
    .text(epoch);
}

export function readResult(from: BodyReader): PublishResult {
  const suppressed = from.u8() === 1;
  return { offset: from.f64(), epoch: from.text(), suppressed };
}

/** A join, a leave or an entry of presence: a channel and a client. */
export function writeClient(to: BodyWriter, channel: string, info: ClientInfo): BodyWriter {
  return to.text(channel).rest(encodeClientInfo(info));
}

export function readClient(from: BodyReader): { channel: string; info: ClientInfo } {
  return { channel: from.text(), info: decodeClientInfo(from.rest()) };
}

function writeAppend(to: BodyWriter, { maxBytes, orphanMs, windowMs, fullWindowMs }: AppendOptions): void {
  to.f64(maxBytes)
    .f64(orphanMs)
    .f64(windowMs ?? NaN)
    .f64(fullWindowMs ?? NaN);
}

function readAppend(from: BodyReader): AppendOptions {
  const [maxBytes, orphanMs] = [from.f64(), from.f64()];
  return defined({ maxBytes, orphanMs, windowMs: numberOf(from), fullWindowMs: numberOf(from) });
}

function numberOf(from: BodyReader): number | undefined {
  const value = from.f64();
  return Number.isNaN(value) ? undefined : value;
}

function tagsOf(from: BodyReader): ReadonlyMap<string, string> | undefined {
  const count = from.u32();
  if (count === 0) return undefined;
  const tags = new Map<string, string>();
  for (let n = 0; n < count; n++) tags.set(from.text(), from.text());
  return tags;
}
