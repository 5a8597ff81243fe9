import { ErrorCode, type PresenceRequest, type PresenceStatsRequest } from '@msg/protocol';
import { disconnect, ReplyError } from '../../errors.ts';
import type { Session } from '../session.ts';

/** Client protocol 7.7. */
export async function presence(session: Session, id: number, { channel }: PresenceRequest): Promise<void> {
  const { policy, presence } = session.context;
  if (channel === '') throw disconnect.badRequest();
  if (policy.presence === undefined) throw new ReplyError(ErrorCode.NotAvailable, 'not available');
  await policy.presence(session, channel);
  const entries = await presence.get(channel);
  session.reply({ id, presence: { presence: entries } });
}

/** Client protocol 7.8. */
export async function presenceStats(
  session: Session,
  id: number,
  { channel }: PresenceStatsRequest,
): Promise<void> {
  const { policy, presence } = session.context;
  if (channel === '') throw disconnect.badRequest();
  if (policy.presenceStats === undefined) throw new ReplyError(ErrorCode.NotAvailable, 'not available');
  await policy.presenceStats(session, channel);
  const { clients, users } = await presence.counts(channel);
  session.reply({ id, presenceStats: { numClients: clients, numUsers: users } });
}
