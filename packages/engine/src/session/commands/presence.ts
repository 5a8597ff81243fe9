import type { PresenceRequest, PresenceStatsRequest } from '@msg/protocol';
import type { Session } from '../session.ts';
import type { PolicyWith } from './command-row.ts';

/** Client protocol 7.7. */
export async function presence(
  session: Session,
  id: number,
  { channel }: PresenceRequest,
  policy: PolicyWith<'presence'>,
): Promise<void> {
  await policy.presence(session.client, channel);
  session.messages.requireReplyRoom();
  const entries = await session.context.presence.get(channel);
  session.messages.reply({ id, presence: { presence: entries } });
}

/** Client protocol 7.8. */
export async function presenceStats(
  session: Session,
  id: number,
  { channel }: PresenceStatsRequest,
  policy: PolicyWith<'presenceStats'>,
): Promise<void> {
  await policy.presenceStats(session.client, channel);
  const { clients, users } = await session.context.presence.counts(channel);
  session.messages.reply({ id, presenceStats: { numClients: clients, numUsers: users } });
}
