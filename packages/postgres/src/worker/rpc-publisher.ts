import type { JsonValue, RpcClient } from '@msg/core';
import type { OutboxPublisher } from '../contract.ts';

/** A publisher for a worker beside the service: its requests go through the RPC. */
export function rpcPublisher(rpc: RpcClient): Required<OutboxPublisher> {
  return {
    async publishMany(items, { parallel, stopChannelOnError }) {
      const { results } = await rpc.call('PublishMany', {
        items: items.map(item => ({
          name: item.name,
          data: item.payload,
          tags: new Map(Object.entries(item.tags)),
          idempotency_key: item.idempotencyKey,
          skip_history: item.skipHistory,
          version: item.version,
          version_epoch: item.versionEpoch,
        })),
        parallel,
        stop_channel_on_error: stopChannelOnError,
      });
      return results;
    },
    async publishOrSink(name, payload, sink, recipient, message, _signal, extras) {
      await rpc.call('PublishOrSink', {
        name,
        data: payload,
        sink,
        recipient: recipient as JsonValue, // of a jsonb
        message,
        version: extras.version,
        version_epoch: extras.versionEpoch,
      });
    },
    positionOf: name => rpc.call('Position', { name }),
  };
}
