import { isValidName, MsgError } from '@msg/core';
import { badRequest } from './errors.ts';

/**
 * The full name of a channel that a command names.
 * @param bareNames prefix of names without a colon; empty: such names are unknown channels
 * @throws MsgError MSG_INVALID_ARGUMENT without a name, MSG_CHANNEL_NOT_FOUND for one without visibility,
 * MSG_CHANNEL_INVALID for one that violates the grammar otherwise.
 */
export function fullName(name: string, bareNames: string): string {
  if (name === '') return badRequest('channel is required');
  const full = bareNames !== '' && !name.includes(':') ? bareNames + name : name;
  if (isValidName(full)) return full;
  if (!/^(?:public|private):/.test(full))
    throw new MsgError('MSG_CHANNEL_NOT_FOUND', 'the channel name must begin with public: or private:');
  throw new MsgError('MSG_CHANNEL_INVALID', 'the channel name is invalid');
}
