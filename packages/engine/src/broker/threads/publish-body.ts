import { defined } from '@msg/foundation/json';
import { type ClientInfo, Payload } from '@msg/protocol';
import { decodeClientInfo, encodeClientInfo } from '@msg/protocol/internal';
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

/** Writes the arguments of a publish; absent numbers are NaN. The stream's bounds of appends do not matter for it. */
export function writePublish(
  to: BodyWriter,
  { channel, data, stream, options }: PublishArguments,
): BodyWriter {
  const { info, idempotencyKey, tags } = options;
  const flags =
    (options.delta === true ? DELTA : 0) |
    (options.volatile === true ? VOLATILE : 0) |
    (info === undefined ? 0 : INFO) |
    (idempotencyKey === undefined ? 0 : KEY);
  to.u8(flags)
    .text(channel)
    .f64(stream.size)
    .f64(stream.ttlMs)
    .f64(stream.metaTtlMs ?? NaN);
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
  const stream = defined({ size: from.f64(), ttlMs: from.f64(), metaTtlMs: numberOf(from) });
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
