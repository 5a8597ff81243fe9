import { MsgError } from '@msg/core';
import type { SinkMessage } from './contract.ts';

function text(value: unknown, member: string): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  throw new MsgError('MSG_INVALID_ARGUMENT', `the message's ${member} must be a string`);
}

/**
 * A whole message of the members that were given; absent ones are empty.
 * @throws MsgError MSG_INVALID_ARGUMENT when a member or a metadata value is no string.
 */
export function sinkMessage(given: Partial<SinkMessage>): SinkMessage {
  const metadata = Object.entries(given.metadata ?? {}).map(
    ([key, value]) => [key, text(value, `metadata.${key}`)] as const,
  );
  return {
    subject: text(given.subject, 'subject'),
    body: text(given.body, 'body'),
    metadata: Object.fromEntries(metadata),
  };
}
