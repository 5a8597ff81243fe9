import type { BodyReader, BodyWriter } from '@msg/engine/threads';
import type { RevocationEntry } from '../../auth/tokens/revocation/contract.ts';
import type { ChannelRecord, ChannelState } from '../../channels/record.ts';
import type { RateDecision } from '../../rate-limits/contract.ts';
import type { RateLimit } from '../../rate-limits/limit.ts';

/** States by their code; 0 says that there is not a record. */
const STATES: readonly (ChannelState | undefined)[] = [undefined, 'open', 'closed', 'deleted'];

/** Writes a record, without the name that was asked for. */
export function writeRecord(to: BodyWriter, record: ChannelRecord | undefined): BodyWriter {
  to.u8(STATES.indexOf(record?.state));
  if (record === undefined) return to;
  return to
    .u8(record.visibility === 'private' ? 1 : 0)
    .f64(record.ttlMs)
    .f64(record.createdAt)
    .f64(record.lastActive);
}

/** @throws RangeError for a body that ends too early, as all of these */
export function readRecord(from: BodyReader, name: string): ChannelRecord | undefined {
  const state = STATES[from.u8()];
  if (state === undefined) return undefined;
  return {
    name,
    visibility: from.u8() === 1 ? 'private' : 'public',
    state,
    ttlMs: from.f64(),
    createdAt: from.f64(),
    lastActive: from.f64(),
  };
}

/** The arguments of a decision about a rate. */
export interface RateQuestion {
  readonly bucket: string;
  readonly subject: string;
  readonly limits: readonly RateLimit[];
  readonly count: number;
}

export function writeRateQuestion(to: BodyWriter, question: RateQuestion): BodyWriter {
  const { bucket, subject, limits, count } = question;
  to.text(bucket).text(subject).u32(count).u8(limits.length);
  for (const { rate, perMs, burst } of limits) to.f64(rate).f64(perMs).f64(burst);
  return to;
}

export function readRateQuestion(from: BodyReader): RateQuestion {
  const [bucket, subject, count] = [from.text(), from.text(), from.u32()];
  const limits = Array.from({ length: from.u8() }, () => ({
    rate: from.f64(),
    perMs: from.f64(),
    burst: from.f64(),
  }));
  return { bucket, subject, count, limits };
}

export function writeDecision(to: BodyWriter, { accepted, retryAfterMs }: RateDecision): BodyWriter {
  return to.u32(accepted).f64(retryAfterMs);
}

export function readDecision(from: BodyReader): RateDecision {
  return { accepted: from.u32(), retryAfterMs: from.f64() };
}

export function writeRevocation(to: BodyWriter, { tokenRevoked, userCutoff }: RevocationEntry): BodyWriter {
  return to.u8(tokenRevoked ? 1 : 0).f64(userCutoff ?? Number.NaN);
}

export function readRevocation(from: BodyReader): RevocationEntry {
  const tokenRevoked = from.u8() === 1;
  const cutoff = from.f64();
  return { tokenRevoked, userCutoff: Number.isNaN(cutoff) ? undefined : cutoff };
}
