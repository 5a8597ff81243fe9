import { Payload, type Publication } from '@msg/protocol';
import type { Broker, HistoryFilter, PublishOptions } from '../../broker/contract.ts';
import type { ContractCase } from '../contract-case.ts';
import type { RecordedEvents } from './recorded-events.ts';

/** A started broker without subscriptions, and the events that it reports to its node. */
export interface BrokerSubject {
  readonly broker: Broker;
  readonly events: RecordedEvents;
  /** Moves an injected clock, or waits. */
  advance(ms: number): Promise<void>;
}

export const META_TTL_MS = 3_600_000;
export const RETAINED = { size: 100, ttlMs: 300_000, metaTtlMs: META_TTL_MS };
export const EVERYTHING: HistoryFilter = { limit: -1 };

const bytes = (text: string): Payload => new Payload(new TextEncoder().encode(text));
export const text = (publication: Publication): string => new TextDecoder().decode(publication.data.bytes);
export const offsets = (items: readonly Publication[]): number[] => items.map(({ offset }) => offset);

export function publish(broker: Broker, channel: string, payload: string, options: PublishOptions = {}) {
  return broker.publish(channel, bytes(payload), options.stream ?? RETAINED, options);
}

export async function publishMany(
  broker: Broker,
  channel: string,
  count: number,
  stream = RETAINED,
): Promise<void> {
  for (let i = 1; i <= count; i++) await broker.publish(channel, bytes(String(i)), stream, {});
}

export function promise(
  name: string,
  holds: ContractCase<BrokerSubject>['holds'],
): ContractCase<BrokerSubject> {
  return { name, holds };
}
