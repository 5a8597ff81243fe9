import type { RpcRequest } from '@msg/core';
import type { PublishOrSink } from '../notify/sinks/publish-or-sink.ts';
import type { PublishPipeline } from '../publishing/pipeline.ts';
import type { PublishExtras } from '../publishing/publication.ts';
import type { RpcHandlers } from './call.ts';

export interface PublishParts {
  readonly pipeline: PublishPipeline;
  readonly publishOrSink: PublishOrSink;
  /** Live subscriptions of a known channel. */
  readonly subscribers: { presence(channel: string): Promise<number> };
}

type Options = Pick<
  RpcRequest<'PublishOrSink'>,
  'skip_history' | 'volatile' | 'delta' | 'version' | 'version_epoch'
>;

/** Handlers of the publish group. */
export function publishHandlers({
  pipeline,
  publishOrSink,
  subscribers,
}: PublishParts): Pick<RpcHandlers, 'Publish' | 'PublishOrSink' | 'Presence'> {
  return {
    Publish: (request, call) =>
      pipeline.publishForCaller(
        call,
        request.name,
        bytesOf(request),
        extrasOf(request, request.tags, request.idempotency_key),
      ),
    PublishOrSink(request, call) {
      const { name, sink, recipient, message } = request;
      const metadata = Object.fromEntries(message.metadata);
      const delivery = { sink, recipient, message: { ...message, metadata }, extras: extrasOf(request) };
      return publishOrSink.deliverForCaller(call, name, bytesOf(request), delivery);
    },
    Presence: async ({ name }) => ({ subscribers: await subscribers.presence(name) }),
  };
}

function bytesOf({ data, json }: Pick<RpcRequest<'Publish'>, 'data' | 'json'>): Uint8Array {
  return json === undefined ? data : UTF8.encode(json.text);
}

const UTF8 = new TextEncoder();
const NO_TAGS: ReadonlyMap<string, string> = new Map();

function extrasOf(
  { skip_history, volatile, delta, version, version_epoch }: Options,
  tags = NO_TAGS,
  idempotencyKey = '',
): PublishExtras {
  return {
    tags,
    idempotencyKey,
    skipHistory: skip_history,
    volatile,
    delta: delta ?? true,
    version,
    versionEpoch: version_epoch,
  };
}
