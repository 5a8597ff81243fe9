import type { RoomTables } from './room-rules.ts';

/** Rooms of the district `auth` of the server. */
export const ROOMS_OF_AUTH: RoomTables[string] = {
  'auth/access': [
    'auth/api-keys',
    'auth/tokens',
    'channels',
    'config/issuer-address.ts',
    'observability/logger.ts',
  ],
  'auth/api-keys': [
    'auth/tokens',
    'rate-limits',
    'timers',
    'stores/redis',
    'config/directory.ts',
    'observability/counters.ts',
    'observability/logger.ts',
  ],
  'auth/keys': ['timers', 'stores/redis', 'config/directory.ts', 'observability/logger.ts'],
  'auth/tokens': ['auth/keys', 'channels', 'config/directory.ts', 'stores/redis'],
  'auth/usage': ['auth/keys', 'auth/tokens', 'config/directory.ts', 'stores/redis'],
};
