import type { RoomTables } from './room-rules.ts';

/** Rooms of the server with what operators look at. */
export const OPERATOR_ROOMS: RoomTables[string] = {
  // A worker in a process of its own serves its figures.
  'cli/outbox': ['config', 'http', 'observability', 'outbox', 'service'],
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
