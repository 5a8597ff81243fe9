import type { RpcResponse } from '@msg/core';

/** A signing key with its use. */
export type UsedKey = RpcResponse<'KeyUsage'>['keys'][number];

/** Where a rotation stands. It is not stored: the keys tell. */
interface Rotation {
  readonly step: 'generate' | 'promote' | 'wait' | 'retire';
  readonly active: UsedKey | undefined;
  /** The key that waits to sign. */
  readonly next: UsedKey | undefined;
  /** The key that signed before, and is to be retired. */
  readonly old: UsedKey | undefined;
}

/** Derives the step of a rotation from the keys. */
export function rotationOf(keys: readonly UsedKey[]): Rotation {
  const active = keys.find(({ role }) => role === 'active');
  const others = keys.filter(({ role }) => role === 'verify-only');
  const old = others.find(({ promoted_at, demoted_at }) => promoted_at !== '' || demoted_at !== '');
  const next = others.find(key => key !== old && key.promoted_at === '' && key.demoted_at === '');
  if (old !== undefined) return { step: old.verdict === 'safe' ? 'retire' : 'wait', active, next, old };
  return { step: next === undefined ? 'generate' : 'promote', active, next, old };
}

/** Management tokens that rest on a key: their holders need new ones. */
export function mgmtHolders(key: UsedKey): readonly string[] {
  return [...new Set(key.holders.filter(({ type }) => type === 'mgmt').map(({ sub }) => sub))];
}

/** The latest of three moments, RFC 3339; empty for none. */
export function latestOf({ access, refresh, mgmt }: UsedKey['issued_until']): string {
  return [access, refresh, mgmt].toSorted().at(-1) ?? '';
}
