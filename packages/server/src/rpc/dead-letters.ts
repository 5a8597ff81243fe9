import { type DlqItem, MsgError } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { DeadLetter } from '../notify/dead-letters/contract.ts';
import type { DeadLetters } from '../notify/dead-letters/dead-letters.ts';
import type { RpcHandlers } from './call.ts';

type DlqMethods = 'DlqList' | 'DlqCount' | 'DlqDiscard' | 'DlqReplay';

function dlqItem(letter: DeadLetter): DlqItem {
  const { subject, body } = letter.message;
  const metadata = new Map(Object.entries(letter.message.metadata));
  const parkedAt = formatTimestamp(letter.parkedAt);
  return {
    id: letter.id,
    sink: letter.sink,
    channel: letter.channel,
    recipient: letter.recipient,
    message: { subject, body, metadata },
    last_error: letter.lastError,
    attempts: letter.attempts,
    parked_at: parkedAt,
    at: parkedAt,
    subject,
    body,
    metadata,
  };
}

function required(id: string): string {
  if (id === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'id is required');
  return id;
}

/** Handlers of the dead-letter group. */
export function deadLetterHandlers(deadLetters: DeadLetters): Pick<RpcHandlers, DlqMethods> {
  return {
    DlqList: async ({ sink, limit }) => ({ items: (await deadLetters.list(sink, limit)).map(dlqItem) }),
    DlqCount: async ({ sink }) => ({ count: await deadLetters.count(sink) }),
    async DlqDiscard({ id }) {
      await deadLetters.discard(required(id));
      return {};
    },
    async DlqReplay({ id }) {
      return { outcome: await deadLetters.replay(required(id)) };
    },
  };
}
