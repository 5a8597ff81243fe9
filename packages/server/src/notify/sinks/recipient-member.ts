import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';

/**
 * The text of a recipient's member, whose key may have any case of letters; `undefined` without one.
 * @throws MsgError MSG_INVALID_ARGUMENT when the recipient is not an object, or the member not a string. Source:
 * messaging details 12.1.
 */
export function recipientMember(recipient: unknown, key: string): string | undefined {
  const foreign = () =>
    new MsgError('MSG_INVALID_ARGUMENT', `the recipient must be an object with a string ${key}`);
  if (!isRecord(recipient)) throw foreign();
  const members = Object.entries(recipient);
  const [, value] =
    members.find(([name]) => name === key) ?? members.find(([name]) => name.toLowerCase() === key) ?? [];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw foreign();
  return value;
}
