import type { Client } from '../client.ts';
import type { Bytes } from '../reply.ts';
import type { RedisState } from '../state.ts';
import { slotOf } from './slots.ts';
import type { ClusterView } from './view.ts';

/** The view of a member of a cluster. @throws TypeError of another server */
function viewOf({ cluster }: RedisState): ClusterView {
  if (cluster === undefined) throw new TypeError('a server that is not a member of a cluster');
  return cluster;
}

/** The keys of a slot are on their way from one member to another. */
export function beginMigration(slot: number, from: RedisState, to: RedisState): void {
  viewOf(to).importing.set(slot, viewOf(from).self);
  viewOf(from).migrating.set(slot, viewOf(to).self);
}

export function keysInSlot(slot: number, state: RedisState): readonly Bytes[] {
  return (state.database(0)?.names() ?? []).filter(key => slotOf(key) === slot);
}

/** Moves one key with its expiry; nothing without it. */
export function moveKey(key: Bytes, from: RedisState, to: RedisState): void {
  const taken = from.database(0)?.take(key);
  if (taken !== undefined) to.database(0)?.set(key, taken.value, taken.expiresAtMs);
}

/** A member learns who serves a slot from now on: listeners to its sharded channels there are told to leave. */
export function learnOwner(slot: number, owner: RedisState, state: RedisState): void {
  viewOf(state).assign(slot, viewOf(owner).self);
  const names = [...state.shardChannels.keys()].filter(name => slotOf(name) === slot);
  for (const name of names.toSorted()) {
    const readers = state.shardChannels.get(name) ?? new Set<Client>();
    state.shardChannels.delete(name);
    for (const reader of readers) {
      reader.shardChannels.delete(name);
      reader.push(['sunsubscribe', name, reader.shardChannels.size]);
    }
  }
  state.flush();
}

/** A message that another member of the cluster passes on. */
export function deliver([, channel = '', message = '']: readonly Bytes[], state: RedisState): void {
  for (const reader of state.channels.get(channel) ?? [])
    if (!state.dropsMessage()) reader.push(['message', channel, message]);
  state.flush();
}
