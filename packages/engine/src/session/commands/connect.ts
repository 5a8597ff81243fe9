import type { ConnectRequest, ConnectResult, Init } from '@msg/protocol';
import { Disconnect } from '../../errors.ts';
import type { ConnectDecision } from '../../policy.ts';
import { secondsUntil } from '../expiry.ts';
import type { Session } from '../session.ts';

/** Client protocol 6.3, 7.1. */
export async function connect(session: Session, id: number, request: ConnectRequest): Promise<void> {
  if (session.phase !== 'open' || id === 0) throw new Disconnect(3501, 'bad request');
  session.phase = 'connecting';
  const { context } = session;
  const { token, data, name, version, headers } = request;
  const decision = await context.policy.connect({ client: session, token, data, name, version, headers });
  if (session.closed) return;
  session.user = decision.user;
  session.info = decision.info ?? null;
  session.state = decision.state;
  if (!context.sessions.identify(session)) throw new Disconnect(3504, 'connection limit');
  session.phase = 'connected';
  session.reply({ id, connect: connectResult(session, decision) });
  session.schedule.connected(context.clock.now(), session.pings, context.random.fraction());
  session.rearm();
}

function connectResult(session: Session, { data, expiry }: ConnectDecision): Init<ConnectResult> {
  const { version, limits, clock } = session.context;
  return {
    client: session.id,
    version,
    ...(data === undefined ? {} : { data }),
    ...(expiry?.clientRefresh === true ? { expires: true, ttl: secondsUntil(expiry.at, clock.now()) } : {}),
    ...(session.pings ? { ping: Math.max(1, Math.round(limits.pingMs / 1000)), pong: true } : {}),
  };
}
