import type { Dialect, DialectName } from './dialect.ts';
import { msg } from './msg.ts';
import { nats } from './nats.ts';
import { socketIo } from './socket-io.ts';

/** The dialects by name. `credential` is what a publisher proves itself with, where the server asks for it. */
export const DIALECTS: Readonly<Record<DialectName, (credential: string) => Dialect>> = {
  msg,
  'socket.io': socketIo,
  nats,
};
