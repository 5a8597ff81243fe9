import { MsgError } from '@msg/core';
import type { ChannelRecord, ChannelState } from '../../record.ts';

const STATES: readonly string[] = ['open', 'closed', 'deleted'] satisfies ChannelState[];
const NANOS_PER_MS = 1_000_000n;

/** Unix milliseconds as decimal text in nanoseconds. */
export function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * NANOS_PER_MS);
}

/** A TTL as decimal text in seconds, with a fraction only where there is one. */
export function seconds(ms: number): string {
  return String(ms / 1000);
}

/** The text of a record as the store holds it. */
export function recordText(record: ChannelRecord): string {
  return JSON.stringify({
    name: record.name,
    visibility: record.visibility,
    state: record.state,
    ttl_seconds: seconds(record.ttlMs),
    created_at: nanoseconds(record.createdAt),
    last_active: nanoseconds(record.lastActive),
  });
}

function milliseconds(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,30}$/.test(value)) return undefined;
  return Number(BigInt(value) / NANOS_PER_MS);
}

function unreadable(name: string): MsgError {
  return new MsgError('MSG_INTERNAL', `the stored record of channel ${name} cannot be read`);
}

/**
 * Reads a record of the shared store: `{name, visibility, state, ttl_seconds, created_at, last_active}`, numbers as
 * decimal text (messaging details, section 18). Further members are ignored.
 * @throws MsgError MSG_INTERNAL for anything else.
 */
export function readRecord(name: string, text: string): ChannelRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(name);
  }
  if (typeof value !== 'object' || value === null) throw unreadable(name);
  const { visibility, state, ttl_seconds, created_at, last_active } = value as Record<string, unknown>; // checked below
  const ttlMs = typeof ttl_seconds === 'string' ? Number(ttl_seconds) * 1000 : Number.NaN;
  const [createdAt, lastActive] = [milliseconds(created_at), milliseconds(last_active)];
  if (typeof state !== 'string' || !STATES.includes(state) || !Number.isFinite(ttlMs)) throw unreadable(name);
  if (
    (visibility !== 'public' && visibility !== 'private') ||
    createdAt === undefined ||
    lastActive === undefined
  )
    throw unreadable(name);
  return { name, visibility, state: state as ChannelState, ttlMs, createdAt, lastActive };
}
