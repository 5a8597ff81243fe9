import type { ChannelChange } from '../../oracles/backend-observations.ts';
import type { Write } from '../../redis/state.ts';

/** The key of the records of channels, as the service chooses it with its default prefix (messaging details 18). */
const RECORDS = 'msg:channels';
const NANOS_PER_MS = 1_000_000n;

/** How the records of channels changed, read from the writes of a store: the truth of the lifecycle. */
export class LifecycleTruth {
  readonly changes: ChannelChange[] = [];

  /** The store has written something. */
  written({ atUs, args: [command = '', key = '', ...fields] }: Write): void {
    if (key !== RECORDS || command.toUpperCase() !== 'HSET') return;
    for (let at = 0; at < fields.length; at += 2) this.changes.push(changeOf(atUs, fields[at + 1] ?? ''));
  }
}

function changeOf(atUs: number, text: string): ChannelChange {
  const { name, state, ttl_seconds, last_active, clock_lead_ms } = JSON.parse(text) as Record<string, string>; // of the service
  const activeMs = Number(BigInt(last_active ?? 0) / NANOS_PER_MS) + Number(clock_lead_ms ?? 0);
  return {
    atMs: atUs / 1000,
    name: name ?? '',
    state: state ?? '',
    activeMs,
    ttlMs: Number(ttl_seconds) * 1000,
  };
}
