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

/** A flag of the record: the trace of the publish comes first. Without one nothing of it is written. */
export const TRACED = 1;

/** What the body has: of the rest nothing is written. */
const DELTA = 1;
const VOLATILE = 2;
const INFO = 4;
const KEY = 8;
const APPEND = 16;
const META_TTL = 32;
const VERSION = 64;
const TAGS = 128;

type Written<T> = { -readonly [Name in keyof T]: T[Name] };

/** Writes the arguments of a publish. */
export function writePublish(
  to: BodyWriter,
  { channel, data, stream, options }: PublishArguments,
): BodyWriter {
  const { info, idempotencyKey, tags, version, versionEpoch } = options;
  const hasVersion = version !== undefined || versionEpoch !== undefined;
  const hasTags = tags !== undefined && tags.size > 0;
  const flags =
    (options.delta === true ? DELTA : 0) |
    (options.volatile === true ? VOLATILE : 0) |
    (info === undefined ? 0 : INFO) |
    (idempotencyKey === undefined ? 0 : KEY) |
    (stream.append === undefined ? 0 : APPEND) |
    (stream.metaTtlMs === undefined ? 0 : META_TTL) |
    (hasVersion ? VERSION : 0) |
    (hasTags ? TAGS : 0);
  to.u8(flags).text(channel).f64(stream.size).f64(stream.ttlMs);
  if (stream.metaTtlMs !== undefined) to.f64(stream.metaTtlMs);
  if (stream.append !== undefined) writeAppend(to, stream.append);
  if (hasVersion) to.f64(version ?? NaN).text(versionEpoch ?? '');
  if (info !== undefined) to.bytes(encodeClientInfo(info));
  if (idempotencyKey !== undefined) to.text(idempotencyKey).f64(options.idempotencyTtlMs ?? NaN);
  if (hasTags) writeTags(to, tags);
  return to.rest(data.bytes);
}

export function readPublish(from: BodyReader): PublishArguments {
  const flags = from.u8();
  const channel = from.text();
  const stream: Written<StreamOptions> = { size: from.f64(), ttlMs: from.f64() };
  if ((flags & META_TTL) !== 0) stream.metaTtlMs = from.f64();
  if ((flags & APPEND) !== 0) stream.append = readAppend(from);
  const options: Written<PublishOptions> = {
    delta: (flags & DELTA) !== 0,
    volatile: (flags & VOLATILE) !== 0,
  };
  if ((flags & VERSION) !== 0) readVersion(from, options);
  if ((flags & INFO) !== 0) options.info = decodeClientInfo(from.bytes());
  if ((flags & KEY) !== 0) {
    options.idempotencyKey = from.text();
    const ttlMs = numberOf(from);
    if (ttlMs !== undefined) options.idempotencyTtlMs = ttlMs;
  }
  if ((flags & TAGS) !== 0) options.tags = readTags(from);
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

function readVersion(from: BodyReader, options: Written<PublishOptions>): void {
  const version = numberOf(from);
  if (version !== undefined) options.version = version;
  const epoch = from.text();
  if (epoch !== '') options.versionEpoch = epoch;
}

function writeTags(to: BodyWriter, tags: ReadonlyMap<string, string>): void {
  to.u32(tags.size);
  for (const [name, value] of tags) to.text(name).text(value);
}

function readTags(from: BodyReader): ReadonlyMap<string, string> {
  const count = from.u32();
  const tags = new Map<string, string>();
  for (let n = 0; n < count; n++) tags.set(from.text(), from.text());
  return tags;
}
