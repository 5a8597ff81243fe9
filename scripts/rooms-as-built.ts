import type { RoomTables } from './room-rules.ts';
import { PROTOCOL_AND_ENGINE_ROOMS } from './rooms-of-the-engine.ts';
import { SERVER_ROOMS } from './rooms-of-the-server.ts';
import { SIM_ROOMS } from './rooms-of-the-simulation.ts';

/**
 * What the rooms of these packages import, types included; ARCHITECTURE.md says what they hold. No table has a circle. An
 * edge more needs its reason here.
 */
export const ROOMS_AS_BUILT: RoomTables = {
  ...PROTOCOL_AND_ENGINE_ROOMS,
  server: SERVER_ROOMS,
  sim: SIM_ROOMS,
};
