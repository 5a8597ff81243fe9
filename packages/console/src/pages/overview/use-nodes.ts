import type { RpcResponse } from '@msg/core';
import { useState } from 'preact/hooks';
import { clock } from '../../app/clock.ts';
import type { FeedMessage } from '../../feed/feed.ts';
import { useFeed } from '../../feed/use-feed.ts';
import { type Call, freshness, useCall } from '../../rpc/use-call.ts';

type Answer = RpcResponse<'ListNodes'>;

/** The nodes of the service: every two seconds from a feed; where no connection is possible, asked every five. */
export function useNodes(): Call<Answer> {
  const [live, setLive] = useState<Partial<Answer>>({});
  const [at, setAt] = useState(0);
  const { state } = useFeed(['stats', 'hints'], ({ data }: FeedMessage) => {
    setLive(before => ({ ...before, ...(data as Partial<Answer>) })); // the service's own message
    setAt(clock.now());
    freshness.value = { state: 'live', at: clock.now() };
  });
  const asked = useCall('ListNodes', {}, { repeats: state !== 'live' });
  const { nodes, hints = asked.data?.hints ?? [], missing_nodes: missing = [] } = live;
  if (state !== 'live' || nodes === undefined) return asked;
  return { ...asked, data: { nodes, hints, missing_nodes: missing }, error: undefined, at };
}
