import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { Publisher } from '../realtime/publisher.ts';
import type { RpcCall, RpcHandlers } from './call.ts';

/** Whose publish rate a call counts against: the bearer's subject, else the caller's address. */
function publishSubject({ principal, peer }: RpcCall): string {
  return principal.kind === 'anyone' ? peer : principal.token.subject || peer;
}

/** Handlers of the publish group. */
export function publishHandlers(
  publisher: Publisher,
  limits: RateLimits,
): Pick<RpcHandlers, 'Publish' | 'Presence'> {
  return {
    async Publish({ name, data, tags, idempotency_key }, call) {
      const token = call.principal.kind === 'anyone' ? null : call.principal.token;
      await limits.take('publish', publishSubject(call), token);
      return publisher.publish(name, data, { tags, idempotencyKey: idempotency_key });
    },
    Presence: async ({ name }) => ({ subscribers: await publisher.presence(name) }),
  };
}
