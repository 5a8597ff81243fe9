import type { MaybePromise } from '@msg/foundation/promises';
import type { ChannelRecord } from '../record.ts';
import type { ChannelRegistry } from './contract.ts';

/** The record of a channel that is used; see {@link ChannelRegistry.current}. */
export function currentRecord(
  registry: ChannelRegistry,
  name: string,
): MaybePromise<ChannelRecord | undefined> {
  return registry.current === undefined ? registry.get(name) : registry.current(name);
}

/** Counts as activity of a channel; see {@link ChannelRegistry.noteActivity}. */
export function noteActivity(registry: ChannelRegistry, name: string): MaybePromise<unknown> {
  return registry.noteActivity === undefined ? registry.touch(name) : registry.noteActivity(name);
}
