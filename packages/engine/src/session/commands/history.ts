import type { HistoryRequest } from '@msg/protocol';
import { DEFAULT_META_TTL_MS } from '../../broker/contract.ts';
import { errorReply } from '../../errors.ts';
import { ownListBytes } from '../../limits.ts';
import { PublicationList } from '../../replies/publication-list.ts';
import { requireReadable } from '../readable.ts';
import type { Session } from '../session.ts';
import type { PolicyWith } from './command-row.ts';

/** Client protocol 7.9. */
export async function history(
  session: Session,
  id: number,
  request: HistoryRequest,
  policy: PolicyWith<'history'>,
): Promise<void> {
  const { broker, limits } = session.context;
  const { channel, since, reverse } = request;
  await policy.history(session.client, channel);
  if (reverse && since !== null && since.offset === 0) {
    throw errorReply.badRequest('nothing lies before offset 0');
  }
  const most = limits.historyItems;
  const limit = most > 0 && (request.limit < 0 || request.limit > most) ? most : request.limit;
  const metaTtlMs = policy.streamOptions?.(channel).metaTtlMs ?? DEFAULT_META_TTL_MS;
  const filter = since === null ? { limit, reverse } : { limit, reverse, since };
  // Without room for the reply the stream is not read.
  if (limit !== 0) session.messages.requireReplyRoom();
  const result = await broker.history(channel, filter, metaTtlMs);
  if (since !== null && since.epoch !== '' && since.epoch !== result.epoch) {
    throw errorReply.unrecoverablePosition();
  }
  if (session.closed) return;
  const { publications: window, epoch, offset } = result;
  const ownBytes = ownListBytes(limits);
  const list = new PublicationList({ channel, epoch, kind: 'history', window, filter: null, ownBytes });
  requireReadable(session, list.publications);
  const publications = list.elements(session.framing.codec.encoding);
  session.messages.reply({ id, history: { publications, epoch, offset } }, [list]);
}
