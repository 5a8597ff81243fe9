import type { RoomTables } from './room-rules.ts';

/** Rooms of the server with what operators look at. */
export const OPERATOR_ROOMS: RoomTables[string] = {
  connections: ['auth/access', 'auth/tokens', 'channels', 'realtime', 'timers'],
  live: [
    'audit',
    'auth/access',
    'auth/tokens',
    'channels',
    'config',
    'connections',
    'publishing',
    'realtime',
  ],
  nodes: ['connections', 'realtime', 'stores', 'stores/subsystem-state.ts'],
};
