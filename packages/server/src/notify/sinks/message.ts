import { MsgError } from '@msg/core';
import type { SinkMessage } from './contract.ts';

function text(value: unknown, member: string): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  throw new MsgError('MSG_INVALID_ARGUMENT', `the message's ${member} must be a string`);
}

/**
 * A whole message; absent members are empty.
 * @throws MsgError MSG_INVALID_ARGUMENT when a member or a metadata value is not a string.
 */
export function sinkMessage(members: Partial<SinkMessage>): SinkMessage {
  const metadata = Object.entries(members.metadata ?? {}).map(
    ([key, value]) => [key, text(value, `metadata.${key}`)] as const,
  );
  return {
    subject: text(members.subject, 'subject'),
    body: text(members.body, 'body'),
    metadata: Object.fromEntries(metadata),
  };
}
