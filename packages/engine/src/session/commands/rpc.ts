import { ErrorCode, type RpcRequest, type SendRequest } from '@msg/protocol';
import { disconnect, ReplyError } from '../../errors.ts';
import type { Session } from '../session.ts';

const NOTHING = new Uint8Array(0);

/** Client protocol 7.10. */
export async function rpc(session: Session, id: number, { method, data }: RpcRequest): Promise<void> {
  const { policy } = session.context;
  if (policy.rpc === undefined) throw new ReplyError(ErrorCode.NotAvailable, 'not available');
  const answer = await policy.rpc(session, { method, data: data ?? NOTHING });
  if (!session.closed) session.reply({ id, rpc: { data: answer } });
}

/** Client protocol 7.11: never answered. */
export function send(session: Session, { data }: SendRequest): void {
  const { policy } = session.context;
  if (policy.message === undefined) throw disconnect.notAvailable();
  policy.message(session, data ?? NOTHING);
}
