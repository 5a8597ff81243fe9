import type { TypedPublication } from '@msg/client';
import { useInsertionEffect, useState, useSyncExternalStore } from 'react';
import { type ChannelView, ComponentChannel } from './channel-view.ts';
import { useStore } from './provider.ts';

export type { ChannelView };

/** A publication with the data type of its channel's schema. */
export type Publication<T> = TypedPublication<T>;

/** Options of a channel that a hook subscribes to. */
export interface ChannelOptions<T> {
  /** Called for every publication; always the function of the newest render. */
  readonly onPublication?: ((publication: Publication<T>) => void) | undefined;
  /** How many publications `items` holds; default 0. */
  readonly keep?: number | undefined;
  /** False: the hook does not subscribe; default true. */
  readonly enabled?: boolean | undefined;
}

const never = (): (() => void) => () => {};

/**
 * Subscribes to a channel while the component is mounted. All components share one subscription per channel, which ends
 * 250 ms after the last one unmounts.
 * @throws MsgError MSG_INVALID_ARGUMENT outside a `MsgProvider`; an invalid channel name is an `error` of the result
 */
export function useChannel<T = unknown>(name: string, options: ChannelOptions<T> = {}): ChannelView<T> {
  const { onPublication, keep = 0, enabled = true } = options;
  const store = useStore();
  const [mounted, setMounted] = useState(() => new ComponentChannel<T>(store, name));
  const channel = mounted.isOf(store, name) ? mounted : new ComponentChannel<T>(store, name);
  if (channel !== mounted) setMounted(channel);
  useInsertionEffect(() => channel.configure(keep, onPublication));
  const idle = (): ChannelView<T> => channel.idle;
  return useSyncExternalStore(enabled ? channel.subscribe : never, enabled ? channel.snapshot : idle, idle);
}

/** The data of the newest publication of a channel; `undefined` before the first. */
export function useLatest<T = unknown>(name: string): T | undefined {
  return useChannel<T>(name).last?.data;
}
