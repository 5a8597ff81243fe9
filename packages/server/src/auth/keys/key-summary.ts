import type { KeySummary } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { SigningKey } from './key-set.ts';

/** A key without its secret. `retiredAt` is empty for a live key. */
export function keySummary(key: Omit<SigningKey, 'role'>, role: string, retiredAt = ''): KeySummary {
  return {
    id: key.id,
    kid: key.id,
    role,
    created_at: formatTimestamp(key.createdAt),
    retired_at: retiredAt,
    alg: key.material.alg,
    fingerprint: key.material.fingerprint,
  };
}

/** The order of a listing: by creation time, then id. */
export function compareKeys(a: KeySummary, b: KeySummary): number {
  if (a.created_at === b.created_at) return a.id < b.id ? -1 : 1;
  return a.created_at < b.created_at ? -1 : 1;
}
