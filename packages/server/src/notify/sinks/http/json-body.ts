import { MsgError } from '@msg/core';

/**
 * The JSON text of a posted message.
 * @throws MsgError MSG_INTERNAL when it cannot be written, for example a metadata value that is not a text
 */
export function jsonBody(label: string, document: object): string {
  try {
    return JSON.stringify(document);
  } catch (cause) {
    throw new MsgError('MSG_INTERNAL', `the ${label} message cannot be written as JSON`, { cause });
  }
}
