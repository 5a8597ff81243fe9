import { isFaultOf, MEMORY_SWITCHES } from './memory-switches.ts';
import { isFaultOfStandard, STANDARD_CLASSES } from './standard-classes.ts';
import type { Switch, Switches, SwitchValue } from './switches.ts';

/** The switches of each class of worlds; one that is not listed has none that a command can set. */
const SWITCHES: ReadonlyMap<string, readonly Switch[]> = new Map([
  ['memory', MEMORY_SWITCHES],
  ...STANDARD_CLASSES,
]);

/** Switches of a class by their names. */
export function switchesOf(world: string): readonly Switch[] {
  return SWITCHES.get(world) ?? [];
}

/** Whether a run of a class with these switches can have a fault of this name; a class without switches can have any. */
export function canHappen(world: string, switches: Switches, name: string): boolean {
  if (world === 'memory') return isFaultOf(switches, name);
  return !STANDARD_CLASSES.has(world) || isFaultOfStandard(world, switches, name);
}

/** Whether a command can say how many hours a run of a class takes. */
export function takesHours(world: string): boolean {
  return STANDARD_CLASSES.has(world);
}

/** What a command line calls a value: `on` and `off` for true and false. */
export function wordOf(value: SwitchValue): string {
  if (typeof value !== 'boolean') return String(value);
  return value ? 'on' : 'off';
}

/** One line: every switch of a run that is not at its simplest value. */
export function shownSwitches(world: string, switches: Switches): string {
  const changed = switchesOf(world).flatMap(({ name, values }) => {
    const value = switches[name];
    if (value === undefined || value === values[0]) return [];
    return [value === true ? name : `${name} ${wordOf(value)}`];
  });
  return changed.join(', ');
}
