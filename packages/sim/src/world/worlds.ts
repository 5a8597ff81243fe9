import { STANDARD_CLASSES } from '../plan/standard-classes.ts';
import { bareWorld } from './bare.ts';
import type { World } from './contract.ts';
import { LEAKS } from './leaks.ts';
import { memoryWorld } from './memory/world.ts';
import { outboxWorld } from './outbox/world.ts';
import { standardWorld } from './standard/world.ts';
import { storeClientWorld } from './store-client.ts';

/** Worlds by the name that `--class` takes, and those that only tests play. */
export const WORLDS: ReadonlyMap<string, World> = new Map<string, World>([
  ['memory', memoryWorld],
  ...[...STANDARD_CLASSES].map(([name, table]): [string, World] => [name, standardWorld(name, table)]),
  ['outbox', outboxWorld],
  ['bare', bareWorld],
  ['store client', storeClientWorld],
  ...LEAKS,
]);
