import type { PublishOrSink } from '../notify/sinks/publish-or-sink.ts';
import type { PublishPipeline } from '../publishing/pipeline.ts';
import type { RpcHandlers } from './call.ts';

export interface PublishParts {
  readonly pipeline: PublishPipeline;
  readonly publishOrSink: PublishOrSink;
  /** Live subscriptions of a known channel. */
  readonly subscribers: { presence(channel: string): Promise<number> };
}

/** Handlers of the publish group. */
export function publishHandlers({
  pipeline,
  publishOrSink,
  subscribers,
}: PublishParts): Pick<RpcHandlers, 'Publish' | 'PublishOrSink' | 'Presence'> {
  return {
    Publish: ({ name, data, tags, idempotency_key }, call) =>
      pipeline.publishForCaller(call, name, data, { tags, idempotencyKey: idempotency_key }),
    PublishOrSink({ name, data, sink, recipient, message }, call) {
      const metadata = Object.fromEntries(message.metadata);
      const delivery = { sink, recipient, message: { ...message, metadata } };
      return publishOrSink.deliverForCaller(call, name, data, delivery);
    },
    Presence: async ({ name }) => ({ subscribers: await subscribers.presence(name) }),
  };
}
