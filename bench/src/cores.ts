import type { CoresSetting } from './cores/setting.ts';
import { noteOfMachine, readSetting } from './cores/setting.ts';

/** The rows, in the order in which they are measured. */
const ROWS: Readonly<Record<string, () => Promise<{ measure(setting: CoresSetting): Promise<void> }>>> = {
  deliveries: () => import('./cores/deliveries.ts'),
  publishes: () => import('./cores/publishes.ts'),
  clustered: () => import('./cores/clustered.ts'),
  connecting: () => import('./cores/connecting.ts'),
  main: () => import('./cores/main-thread.ts'),
  interested: () => import('./cores/interested.ts'),
  latency: () => import('./cores/latency.ts'),
  stall: () => import('./cores/stall.ts'),
  death: () => import('./cores/death.ts'),
  placing: () => import('./cores/placing.ts'),
  idle: () => import('./cores/idle.ts'),
  held: () => import('./cores/held.ts'),
};

/** What the first line says: the cores of both sides, and what this machine is too small for. */
export function note(args: readonly string[]): string {
  return noteOfMachine(readSetting(args));
}

/**
 * One process on several cores against one thread (threads 12): `--threads 1,2,4`, `--server-cpus`, `--load-cpus`, `--pairs`,
 * `--slice <ms>`, `--connections`, `--settle-s`, `--only <row>` (repeatable).
 */
export async function run(args: readonly string[]): Promise<void> {
  const setting = readSetting(args);
  const unknown = setting.only.find(name => ROWS[name] === undefined);
  if (unknown !== undefined) throw new Error(`no row ${unknown}; there are ${Object.keys(ROWS).join(', ')}`);
  for (const [name, load] of Object.entries(ROWS))
    if (setting.only.length === 0 || setting.only.includes(name)) await (await load()).measure(setting);
}
