import type { RpcRequest, SendRequest } from '@msg/protocol';
import type { Session } from '../session.ts';
import type { PolicyWith } from './command-row.ts';

const NOTHING = new Uint8Array(0);

/** Client protocol 7.10. */
export async function rpc(
  session: Session,
  id: number,
  { method, data }: RpcRequest,
  policy: PolicyWith<'rpc'>,
): Promise<void> {
  session.messages.requireReplyRoom();
  const answer = await policy.rpc(session.client, { method, data: data ?? NOTHING });
  if (!session.closed) session.messages.reply({ id, rpc: { data: answer } });
}

/** Client protocol 7.11: never answered. */
export function send(
  session: Session,
  _id: number,
  { data }: SendRequest,
  policy: PolicyWith<'message'>,
): undefined {
  policy.message(session.client, data ?? NOTHING);
}
