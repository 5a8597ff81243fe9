import { MsgError, parseName } from '@msg/core';
import type { DeclaredChannels } from './declared.ts';
import type { ChannelRecord } from './record.ts';

/** The error of a name without record. */
export function unknownChannel(name: string): MsgError {
  return new MsgError('MSG_CHANNEL_NOT_FOUND', `channel ${name} is not known`);
}

/** @throws MsgError MSG_CHANNEL_INVALID for a name that violates the grammar, and for a private one */
export function requirePublic(name: string, done: 'opened' | 'closed'): void {
  if (parseName(name).visibility === 'public') return;
  throw new MsgError('MSG_CHANNEL_INVALID', `channel ${name} is private, only public channels are ${done}`);
}

/** The record from the registry. @throws MsgError MSG_CHANNEL_INVALID or MSG_CHANNEL_NOT_FOUND without one */
export function presentRecord(name: string, record: ChannelRecord | undefined): ChannelRecord {
  if (record === undefined) parseName(name);
  if (record === undefined || record.state === 'deleted') throw unknownChannel(name);
  return record;
}

/** As {@link presentRecord}, and the channel must be open. @throws MsgError also MSG_CHANNEL_CLOSED */
export function openRecord(name: string, record: ChannelRecord | undefined): ChannelRecord {
  const current = presentRecord(name, record);
  if (current.state === 'closed') throw new MsgError('MSG_CHANNEL_CLOSED', `channel ${name} is closed`);
  return current;
}

/** @throws MsgError MSG_CHANNEL_INVALID for a name that takes commands */
export function requireFree(name: string, names: Pick<DeclaredChannels, 'isReserved'>): void {
  if (!names.isReserved(name)) return;
  const text = `channel name ${name} is reserved: it takes the cancels of the append streams beside it`;
  throw new MsgError('MSG_CHANNEL_INVALID', text);
}
