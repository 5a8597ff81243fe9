import { isPromise } from '@msg/foundation/promises';
import type { PublishRequest } from '@msg/protocol';
import { errorReply } from '../../errors.ts';
import type { Session } from '../session.ts';
import type { PolicyWith } from './command-row.ts';

/** Client protocol 7.6: the reply comes after the policy has published. */
export function publish(
  session: Session,
  id: number,
  { channel, data: payload, type }: PublishRequest,
  policy: PolicyWith<'publish'>,
): Promise<void> | undefined {
  if (type !== 0) throw errorReply.notAvailable();
  const info = session.connection.clientInfo(session.subscriptions.get(channel)?.info ?? null);
  const event = { channel, data: payload.bytes, payload, info };
  const published = policy.publish(session.client, event, session.context.forwardPublish);
  if (isPromise(published)) return published.then(() => answer(session, id));
  answer(session, id);
  return undefined;
}

function answer(session: Session, id: number): void {
  if (!session.closed) session.messages.reply({ id, publish: {} });
}
