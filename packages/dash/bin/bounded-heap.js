// Old versions of Node.js run this file too, as launch.js says: it uses no syntax that they lack.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Room for new objects from which on V8 does not double it any more, in bytes. */
const ENOUGH_BYTES = 4_000_000;

/** @returns {number} bytes that V8 holds for new objects */
function roomForNewObjects() {
  const room = getHeapSpaceStatistics().find(space => space.space_name === 'new_space');
  return room === undefined ? ENOUGH_BYTES : room.space_size;
}

/**
 * Bounds the memory that a server takes for rows that come and go. By default V8 doubles the room for new objects while
 * much of what is new stays in use, as rows do, up to 32 MiB and more, and lets a heap of 30 MiB grow to 120 MiB before
 * it looks for what is not in use any more. Here the first room stays small, and the second factor is 1.5.
 *
 * It runs before the program is loaded, which alone makes the room 32 MiB, and V8 never gives a room back. Objects that
 * are kept fill the room to its size at once: who watched it grow would learn of it several doublings too late.
 */
export function boundHeap() {
  setFlagsFromString('--heap-growing-percent=50');
  const kept = [];
  while (roomForNewObjects() < ENOUGH_BYTES) for (let i = 0; i < 2_000; i++) kept.push({ i });
  setFlagsFromString('--semi-space-growth-factor=1');
}
