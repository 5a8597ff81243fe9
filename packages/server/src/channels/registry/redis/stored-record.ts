import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import type { ChannelRecord, ChannelState } from '../../record.ts';

const STATES: readonly string[] = ['open', 'closed', 'deleted'] satisfies ChannelState[];
const NANOS_PER_MS = 1_000_000n;

/** Unix milliseconds as decimal text in nanoseconds. */
export function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * NANOS_PER_MS);
}

/** Milliseconds as decimal text of an integer. */
export function milliseconds(ms: number): string {
  return String(Math.round(ms));
}

/** The stored TTL of a channel that never closes, which the sweep skips. */
const NEVER = 'never';

/** A TTL as decimal text in seconds, with a fraction only if needed; `never` for an infinite TTL. */
export function seconds(ms: number): string {
  return Number.isFinite(ms) ? String(ms / 1000) : NEVER;
}

/** Reads what {@link seconds} wrote, milliseconds; NaN for anything else. */
function ttlOf(text: unknown): number {
  if (text === NEVER) return Number.POSITIVE_INFINITY;
  const ms = typeof text === 'string' ? Number(text) * 1000 : Number.NaN;
  return Number.isFinite(ms) ? ms : Number.NaN;
}

/**
 * The text of a record as the store holds it.
 * @param clockLead milliseconds by which the store's clock is ahead of the clock behind `lastActive`
 */
export function recordText(record: ChannelRecord, clockLead: string): string {
  return JSON.stringify({
    name: record.name,
    visibility: record.visibility,
    state: record.state,
    ttl_seconds: seconds(record.ttlMs),
    created_at: nanoseconds(record.createdAt),
    last_active: nanoseconds(record.lastActive),
    clock_lead_ms: clockLead,
  });
}

function fromNanoseconds(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,30}$/.test(value)) return undefined;
  return Number(BigInt(value) / NANOS_PER_MS);
}

function unreadable(name: string): MsgError {
  return new MsgError('MSG_INTERNAL', `the stored record of channel ${name} cannot be read`);
}

/**
 * Reads a record of the shared store: `{name, visibility, state, ttl_seconds, created_at, last_active}`, numbers as
 * decimal text, a `ttl_seconds` of `never` for a channel that stays open (messaging details, section 18). Further members
 * are ignored; only the scripts read `clock_lead_ms`.
 * @throws MsgError MSG_INTERNAL for anything else.
 */
export function readRecord(name: string, text: string): ChannelRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(name);
  }
  if (!isRecord(value)) throw unreadable(name);
  const { visibility, state, ttl_seconds, created_at, last_active } = value as Record<string, unknown>; // checked below
  const ttlMs = ttlOf(ttl_seconds);
  const [createdAt, lastActive] = [fromNanoseconds(created_at), fromNanoseconds(last_active)];
  if (typeof state !== 'string' || !STATES.includes(state) || Number.isNaN(ttlMs)) throw unreadable(name);
  if (
    (visibility !== 'public' && visibility !== 'private') ||
    createdAt === undefined ||
    lastActive === undefined
  )
    throw unreadable(name);
  return { name, visibility, state: state as ChannelState, ttlMs, createdAt, lastActive };
}

/** The open and closed records of fields and values in turn. */
export function recordsOf(entries: readonly string[]): readonly ChannelRecord[] {
  const records: ChannelRecord[] = [];
  for (let index = 0; index + 1 < entries.length; index += 2) {
    const record = readable(entries[index] as string, entries[index + 1] as string);
    if (record !== undefined && record.state !== 'deleted') records.push(record);
  }
  return records;
}

/** An unreadable record must not hide the others. */
function readable(name: string, text: string): ChannelRecord | undefined {
  try {
    return readRecord(name, text);
  } catch {
    return undefined;
  }
}
