import type { Publisher } from '../realtime/publisher.ts';
import type { RpcHandlers } from './call.ts';

/** Handlers of the publish group. */
export function publishHandlers(publisher: Publisher): Pick<RpcHandlers, 'Publish' | 'Presence'> {
  return {
    Publish: ({ name, data, tags, idempotency_key }) =>
      publisher.publish(name, data, { tags, idempotencyKey: idempotency_key }),
    Presence: async ({ name }) => ({ subscribers: await publisher.presence(name) }),
  };
}
