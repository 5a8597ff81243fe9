import type { RpcResponse } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import type { KeySet } from '../auth/keys/key-set.ts';
import type { Keyring } from '../auth/keys/keyring.ts';
import type { TokenType } from '../auth/tokens/claims.ts';
import { entryOf, kidOf, SINCE, type UsageMoment, type UsageTable } from '../auth/usage/contract.ts';
import type { KeyUsage } from '../auth/usage/key-usage.ts';
import { type ByType, verdictOf } from '../auth/usage/verdict.ts';
import type { ClusterKeyUse, KeyUse } from '../connections/key-usage.ts';
import type { RpcHandlers } from './call.ts';

export interface KeyUsageHandlerParts {
  readonly keyring: Pick<Keyring, 'keySet'>;
  readonly keyUsage: KeyUsage;
  readonly keyUse: KeyUse;
  readonly clock: Pick<Clock, 'now'>;
}

type Row = RpcResponse<'KeyUsage'>['keys'][number];

/** How long a retired key is listed. */
const KEPT_MS = 86_400_000;

function timeOf(moment: number): string {
  return moment === 0 ? '' : formatTimestamp(moment);
}

function timesOf({ access, refresh, mgmt }: ByType): { access: string; refresh: string; mgmt: string } {
  return { access: timeOf(access), refresh: timeOf(refresh), mgmt: timeOf(mgmt) };
}

/** The stored moments, raised by what the nodes know beyond them. */
function merged(stored: UsageTable, moments: ClusterKeyUse['moments']): UsageTable {
  const table = new Map(stored);
  for (const [entry, moment] of moments)
    if (entry !== SINCE && moment > (table.get(entry) ?? 0)) table.set(entry, moment);
  return table;
}

/** Handler of the use of keys. */
export function keyUsageHandlers(parts: KeyUsageHandlerParts): Pick<RpcHandlers, 'KeyUsage'> {
  const { keyring, keyUsage, keyUse, clock } = parts;
  return {
    async KeyUsage() {
      const use = await keyUse.everywhere();
      const table = merged(await keyUsage.table(), use.moments);
      const now = clock.now();
      const kids = [...new Set([...table.keys()].flatMap(entry => kidOf(entry) ?? []))];
      const rows = kids
        .filter(kid => isListed(kid, table, keyring.keySet, now))
        .map(kid => rowOf(kid, { table, use, keySet: keyring.keySet, now }));
      rows.sort((a, b) =>
        a.created_at === b.created_at ? (a.kid < b.kid ? -1 : 1) : a.created_at < b.created_at ? -1 : 1,
      );
      return { keys: rows, missing_nodes: use.missing };
    },
  };
}

function isListed(kid: string, table: UsageTable, keySet: KeySet, now: number): boolean {
  const retiredAt = table.get(entryOf(kid, 'retired')) ?? 0;
  return keySet.resolve(kid) !== undefined || (retiredAt > 0 && now - retiredAt <= KEPT_MS);
}

interface Facts {
  readonly table: UsageTable;
  readonly use: ClusterKeyUse;
  readonly keySet: KeySet;
  readonly now: number;
}

function rowOf(kid: string, { table, use, keySet, now }: Facts): Row {
  const at = (moment: UsageMoment): number => table.get(entryOf(kid, moment)) ?? 0;
  const byType = (what: 'issued' | 'seen'): ByType => ({
    access: at(`${what}.access`),
    refresh: at(`${what}.refresh`),
    mgmt: at(`${what}.mgmt`),
  });
  const since = table.get(SINCE) ?? now;
  const key = keySet.resolve(kid);
  const live = use.live.get(kid) ?? { connections: 0, subscriptions: 0 };
  const sessions = use.sessions.get(kid) ?? 0;
  const [issuedUntil, seenLast] = [byType('issued'), byType('seen')];
  const { verdict, waitUntil, reason } = verdictOf({
    isActive: key?.role === 'active',
    isRetired: key === undefined,
    isRecorded: at('recorded') > 0 || at('created') >= since,
    issuedUntil,
    seenLast,
    liveConnections: live.connections,
    liveSubscriptions: live.subscriptions,
    liveSessions: sessions,
    recordedSince: since,
    missing: use.missing.map(({ node }) => node),
    now,
  });
  return {
    kid,
    role: key?.role ?? 'retired',
    alg: key?.material.alg ?? '',
    fingerprint: key?.material.fingerprint ?? '',
    created_at: timeOf(at('created')),
    promoted_at: timeOf(at('promoted')),
    demoted_at: timeOf(at('demoted')),
    retired_at: key === undefined ? timeOf(at('retired')) : '',
    issued_until: timesOf(issuedUntil),
    seen_last: timesOf(seenLast),
    live_connections: live.connections,
    live_subscriptions: live.subscriptions,
    live_sessions: sessions,
    holders: (use.holders.get(kid) ?? []).map(({ sub, type, seenAt, exp }) => ({
      sub,
      type: type satisfies TokenType,
      last_seen: formatTimestamp(seenAt),
      expires_unix: exp,
    })),
    verdict,
    wait_until: timeOf(waitUntil),
    reason,
  };
}
