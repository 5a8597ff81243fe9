import { VersionTable } from '@msg/engine/threads';

/** Slots that channels share by their names (threads 5). */
const CHANNEL_SLOTS = 65_536;

/** Slots of what a process has once. */
export const Slot = { revocations: 0, keyring: 1, schemas: 2, apiKeys: 3 } as const;
const OWN_SLOTS = 4;

/** The versions of everything that threads keep copies of. */
export function newVersions(): VersionTable {
  return VersionTable.create(OWN_SLOTS, CHANNEL_SLOTS);
}

/** As another thread was given them. */
export function versionsOf(memory: SharedArrayBuffer): VersionTable {
  return new VersionTable(memory, OWN_SLOTS);
}
