import { MsgError } from '@msg/core';

/** The channels of live feeds: the service makes and ends them. */
export const FEED_PREFIX = 'private:msg.console.';

/** Whether a record is that of a live feed's channel. */
export function isOfFeed({
  name,
  visibility,
}: {
  readonly name: string;
  readonly visibility: string;
}): boolean {
  return visibility === 'private' && name.startsWith(FEED_PREFIX);
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a name that only the service may use */
export function refuseReserved(name: string): void {
  if (!/^(?:public|private):msg\.console\./.test(name)) return;
  throw new MsgError('MSG_INVALID_ARGUMENT', `names below msg.console are reserved; got ${name}`);
}
