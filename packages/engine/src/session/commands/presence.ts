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
  await policy.presence(session, channel);
  const entries = await session.context.presence.get(channel);
  session.reply({ id, presence: { presence: entries } });
}

/** Client protocol 7.8. */
export async function presenceStats(
  session: Session,
  id: number,
  { channel }: PresenceStatsRequest,
  policy: PolicyWith<'presenceStats'>,
): Promise<void> {
  await policy.presenceStats(session, channel);
  const { clients, users } = await session.context.presence.counts(channel);
  session.reply({ id, presenceStats: { numClients: clients, numUsers: users } });
}
