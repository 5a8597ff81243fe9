import { COMPRESSED_FRAGMENTS, COMPRESSION_BOMB } from './compression-bomb.ts';
import type { FloodKind } from './flood.ts';
import { HISTORY_READERS, RECOVERY_READERS } from './history-readers.ts';
import { PING_FLOOD } from './ping-flood.ts';
import { IDLE_SOCKETS, SILENT_WEBSOCKETS } from './silent-sockets.ts';
import { ANONYMOUS_BODIES, AUTHORIZED_BODIES, CRUMBLED_BODIES } from './unfinished-bodies.ts';

export const FLOODS: readonly FloodKind[] = [
  HISTORY_READERS,
  RECOVERY_READERS,
  ANONYMOUS_BODIES,
  AUTHORIZED_BODIES,
  CRUMBLED_BODIES,
  IDLE_SOCKETS,
  SILENT_WEBSOCKETS,
  PING_FLOOD,
  COMPRESSION_BOMB,
  COMPRESSED_FRAGMENTS,
];
