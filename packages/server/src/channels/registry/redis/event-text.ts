import { isRecord } from '@msg/foundation/json';
import type { LifecycleEvent } from '../../lifecycle-feed.ts';
import { nanoseconds } from './stored-record.ts';

const KINDS: readonly string[] = ['opened', 'closed', 'deleted'] satisfies LifecycleEvent['kind'][];

/**
 * The cross-node form of an event (messaging details 5.2). Nanoseconds are a JSON integer beyond the precision of a
 * double.
 */
export function eventText(nodeId: string, { kind, name, at }: LifecycleEvent): string {
  const members = JSON.stringify({ node_id: nodeId, kind, name }).slice(0, -1);
  return `${members},"at_unix_nano":${nanoseconds(at)}}`;
}

/**
 * Reads the cross-node form; `undefined` for anything else, because every client of the store can publish into the
 * channel.
 */
export function readEvent(text: string): (LifecycleEvent & { readonly nodeId: string }) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { node_id, kind, name, at_unix_nano } = value as Record<string, unknown>; // checked below
  if (typeof node_id !== 'string' || typeof name !== 'string' || typeof at_unix_nano !== 'number')
    return undefined;
  if (typeof kind !== 'string' || !KINDS.includes(kind)) return undefined;
  // A double is exact to a quarter of a microsecond here.
  return { nodeId: node_id, kind: kind as LifecycleEvent['kind'], name, at: Math.round(at_unix_nano / 1e6) };
}
