import { MsgError, type RpcRequest } from '@msg/core';
import type { PublishOrSink } from '../notify/sinks/publish-or-sink.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { RpcCall, RpcHandlers } from './call.ts';

/** Whose publish rate a call counts against: the bearer's subject, else the caller's address. */
function publishSubject({ principal, peer }: RpcCall): string {
  return principal.kind === 'anonymous' ? peer : principal.token.subject || peer;
}

/** Handlers of the publish group. */
export function publishHandlers(
  publisher: Publisher,
  publishOrSink: PublishOrSink,
  limits: RateLimits,
): Pick<RpcHandlers, 'Publish' | 'PublishOrSink' | 'Presence'> {
  const takeTurn = (call: RpcCall, channel: string) => {
    const token = call.principal.kind === 'anonymous' ? null : call.principal.token;
    return limits.takePublish('publish', publishSubject(call), channel, token);
  };
  const publish = ({ name, data, tags, idempotency_key }: RpcRequest<'Publish'>) =>
    publisher.publish(name, data, { tags, idempotencyKey: idempotency_key });
  return {
    Publish(request, call) {
      const turn = takeTurn(call, request.name);
      return turn === undefined ? publish(request) : turn.then(() => publish(request));
    },
    async PublishOrSink({ name, data, sink, recipient, message }, call) {
      await takeTurn(call, name);
      if (sink === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'sink is required');
      const metadata = Object.fromEntries(message.metadata);
      return publishOrSink.deliver(name, data, { sink, recipient, message: { ...message, metadata } });
    },
    Presence: async ({ name }) => ({ subscribers: await publisher.presence(name) }),
  };
}
