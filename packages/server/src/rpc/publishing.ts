import { METHODS, type MsgError, type RpcRequest, type RpcResponse } from '@msg/core';
import { encodeUtf8 } from '@msg/core/internal';
import { chain } from '@msg/foundation/promises';
import type { AccessControl } from '../auth/access/access-control.ts';
import { denialError } from '../auth/access/decision.ts';
import type { PublishOrSink } from '../notify/sinks/publish-or-sink.ts';
import type { ChannelStreams } from '../publishing/channel-streams.ts';
import type { PublishPipeline } from '../publishing/pipeline.ts';
import type { PublishCaller, PublishExtras } from '../publishing/publication.ts';
import {
  type ChannelPublication,
  type PublishManyParts,
  type PublishOutcome,
  publishMany,
  sameInEach,
} from '../publishing/publish-many.ts';
import type { RpcCall, RpcHandlers } from './call.ts';

export interface PublishParts {
  readonly pipeline: PublishPipeline;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly publishOrSink: PublishOrSink;
  readonly streams: ChannelStreams;
  /** Live subscriptions of a known channel. */
  readonly subscribers: { presence(channel: string): Promise<number> };
  /** Called when one of several publications failed without a code. */
  readonly onError: (error: unknown) => void;
}

type PublishMethods =
  | 'Publish'
  | 'PublishMany'
  | 'Broadcast'
  | 'PublishOrSink'
  | 'Presence'
  | 'Position'
  | 'RemoveHistory';

type Options = Pick<
  RpcRequest<'PublishOrSink'>,
  'skip_history' | 'volatile' | 'delta' | 'version' | 'version_epoch'
>;

type ItemResult = RpcResponse<'PublishMany'>['results'][number];

/** Handlers of the publish group. */
export function publishHandlers(parts: PublishParts): Pick<RpcHandlers, PublishMethods> {
  const { pipeline, publishOrSink, streams, subscribers, onError } = parts;
  /** Each of several publications: rights and all else as for Publish; the rate is decided once for all. */
  const publishing = (call: RpcCall, count: number): Pick<PublishManyParts, 'publish' | 'onError'> => {
    const caller = pipeline.callerOfSeveral(call, count);
    return { publish: (...publication) => publishAllowed(parts, caller, ...publication), onError };
  };
  return {
    Publish: (request, call) =>
      pipeline.publishForCaller(
        call,
        request.name,
        bytesOf(request),
        extrasOf(request, request.tags, request.idempotency_key),
      ),
    PublishMany({ items, parallel, stop_channel_on_error }, call) {
      const options = {
        ...publishing(call, items.length),
        parallel,
        stopChannelOnError: stop_channel_on_error,
      };
      return chain(publishMany(items.map(publicationOf), options), outcomes => ({
        results: outcomes.map(resultOf),
      }));
    },
    Broadcast(request, call) {
      const { names } = request;
      const extras = extrasOf(request, request.tags, request.idempotency_key);
      const publications = sameInEach(names, bytesOf(request), extras);
      return chain(
        publishMany(publications, { ...publishing(call, names.length), parallel: true }),
        outcomes => ({
          results: outcomes.map((outcome, index) => ({ name: names[index] ?? '', ...resultOf(outcome) })),
        }),
      );
    },
    PublishOrSink(request, call) {
      const { name, sink, recipient, message } = request;
      const metadata = Object.fromEntries(message.metadata);
      const delivery = { sink, recipient, message: { ...message, metadata }, extras: extrasOf(request) };
      return publishOrSink.deliverForCaller(call, name, bytesOf(request), delivery);
    },
    Presence: async ({ name }) => ({ subscribers: await subscribers.presence(name) }),
    Position: ({ name }) => streams.position(name),
    async RemoveHistory({ name }) {
      await streams.removeHistory(name);
      return {};
    },
  };
}

function publishAllowed(
  { access, pipeline }: PublishParts,
  caller: PublishCaller,
  { channel, payload, extras }: ChannelPublication,
  onSent: () => void,
): ReturnType<PublishPipeline['publishForCaller']> {
  // The role was decided about with the whole request.
  const { access: method } = METHODS.Publish;
  const decided = access.decide({ principal: caller.principal, method, resource: channel });
  return chain(decided, decision => {
    if (!decision.allowed) throw denialError(decision);
    return pipeline.publishForCaller(caller, channel, payload, extras, onSent);
  });
}

const NO_TAGS: ReadonlyMap<string, string> = new Map();

function bytesOf({ data, json }: Pick<RpcRequest<'Publish'>, 'data' | 'json'>): Uint8Array {
  return json === undefined ? data : encodeUtf8(json.text);
}

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

function publicationOf(item: RpcRequest<'Publish'>): ChannelPublication {
  const extras = extrasOf(item, item.tags, item.idempotency_key);
  return { channel: item.name, payload: bytesOf(item), extras };
}

function resultOf({ offset, epoch, suppressed, error }: PublishOutcome): ItemResult {
  return { offset, epoch, suppressed, error: error === undefined ? null : errorOf(error) };
}

function errorOf({ code, message }: MsgError): NonNullable<ItemResult['error']> {
  return { code, message };
}
