import { ErrorCode, type PublishRequest } from '@msg/protocol';
import { disconnect, ReplyError } from '../../errors.ts';
import { notifyPolicy } from '../context.ts';
import type { Session } from '../session.ts';

const NO_STREAM = { size: 0, ttlMs: 0 };

/** Client protocol 7.6: the reply comes after the broker accepted the publication. */
export function publish(session: Session, id: number, request: PublishRequest): Promise<void> {
  const { aroundPublish } = session.context;
  if (aroundPublish === undefined) return execute(session, id, request);
  const { channel, data } = request;
  return aroundPublish({ channel, data: data.bytes }, () => execute(session, id, request));
}

async function execute(session: Session, id: number, request: PublishRequest): Promise<void> {
  const { policy, broker } = session.context;
  const { channel, data } = request;
  if (channel === '') throw disconnect.badRequest();
  if (request.type !== 0 || policy.publish === undefined) {
    throw new ReplyError(ErrorCode.NotAvailable, 'not available');
  }
  const info = session.connection.clientInfo(session.subscriptions.get(channel)?.info ?? null);
  const options = await policy.publish(session.client, { channel, data: data.bytes, info });
  const stream = options.stream ?? policy.streamOptions?.(channel) ?? NO_STREAM;
  await broker.publish(channel, data, stream, { info, ...options });
  notifyPolicy(session.context, () => policy.published?.(session.client, channel));
  if (!session.closed) session.messages.reply({ id, publish: {} });
}
