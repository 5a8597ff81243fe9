import type { RoomTables } from './room-rules.ts';

/** Rooms of the simulation. The kernel knows nothing of what it runs. */
export const SIM_ROOMS: RoomTables[string] = {
  bridge: ['cli', 'kernel', 'oracles', 'plan', 'world'],
  formal: ['kernel/stream.ts'],
  fuzz: ['kernel/stream.ts', 'redis'],
  kernel: [],
  mutants: [],
  net: ['kernel'],
  oracles: ['kernel/event-log.ts'],
  platform: ['kernel', 'mutants', 'net'],
  plan: ['kernel'],
  redis: ['kernel', 'net'],
  world: ['kernel', 'net', 'oracles', 'plan', 'redis'],
  view: ['plan'],
  cli: ['fuzz', 'kernel', 'mutants', 'oracles', 'plan', 'platform', 'view', 'world'],
};
