import { MsgError } from '@msg/core';

/**
 * The JSON text of a message that is posted.
 * @throws MsgError MSG_INTERNAL when it cannot be written: a metadata value that is not a text, for instance.
 */
export function jsonBody(label: string, document: object): string {
  try {
    return JSON.stringify(document);
  } catch (cause) {
    throw new MsgError('MSG_INTERNAL', `the ${label} message cannot be written as JSON`, { cause });
  }
}
