import { MsgError, type RpcRequest } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { actorOf } from '../auth/access/actor.ts';
import { type DeadLetters, notParked } from '../notify/dead-letters/dead-letters.ts';
import type { DiscardSelection } from '../notify/dead-letters/discards.ts';
import type { SinkMessage } from '../notify/sinks/contract.ts';
import type { RpcHandlers } from './call.ts';
import { boundedIds, dlqItem, required } from './dead-letters.ts';

type ChangeMethods = 'DlqUpdate' | 'DlqDiscard' | 'DlqRestore';

const MAX_UNDO_SECONDS = 300;

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** @throws MsgError MSG_INVALID_ARGUMENT for none, or several ways to say it */
function selectionOf({ id, ids, group, sink }: RpcRequest<'DlqDiscard'>): DiscardSelection {
  const ways = [id !== '', ids.length > 0, group !== ''].filter(Boolean).length;
  if (ways === 0) throw invalid('id is required, or ids, or group with sink');
  if (ways > 1) throw invalid('exactly one of id, ids and group is allowed');
  if ((group === '') !== (sink === '')) throw invalid('group and sink belong together');
  if (group !== '') return { sink, group };
  return { ids: id === '' ? boundedIds(ids) : [id] };
}

function messageOf({ message }: RpcRequest<'DlqUpdate'>): SinkMessage | undefined {
  if (message === null) return undefined;
  return { ...message, metadata: Object.fromEntries(message.metadata) };
}

/** Handlers that change dead letters, or take them away. */
export function letterChangeHandlers(deadLetters: DeadLetters): Pick<RpcHandlers, ChangeMethods> {
  return {
    async DlqUpdate(request, { principal }) {
      const recipient = request.recipient ?? undefined;
      const change = defined({ recipient, message: messageOf(request) });
      const id = required(request.id);
      if (Object.keys(change).length === 0) throw invalid('recipient or message is required');
      const letter = await deadLetters.update(id, { ...change, by: actorOf(principal).actor });
      return { item: dlqItem(deadLetters, letter) };
    },
    async DlqDiscard(request) {
      const { id, undo_seconds: undo } = request;
      const selection = selectionOf(request);
      if (undo < 0 || undo > MAX_UNDO_SECONDS)
        throw invalid(`undo_seconds must be from 0 to ${MAX_UNDO_SECONDS}; got ${undo}`);
      const ids = await deadLetters.discards.discard(selection, undo * 1000);
      if (id !== '' && ids.length === 0) throw notParked(id);
      return { discarded: ids.length, ids: undo === 0 ? [] : ids };
    },
    async DlqRestore({ ids }) {
      if (ids.length === 0) throw invalid('ids is required');
      return { restored: await deadLetters.discards.restore(boundedIds(ids)) };
    },
  };
}
