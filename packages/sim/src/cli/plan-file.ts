import { isRecord } from '@msg/foundation/json';
import {
  decimal,
  type Field,
  list,
  type ObjectOf,
  object,
  optional,
  required,
  ShapeError,
  text,
  uint64,
} from '@msg/foundation/shape';
import { canHappen, switchesOf, takesHours, wordOf } from '../plan/classes.ts';
import type { SwitchValue } from '../plan/switches.ts';
import { WORLD_NAMES } from '../world/names.ts';
import { BadUse } from './arguments.ts';
import { nearest } from './nearest.ts';

/** The format that this version writes, and the newest that it reads. */
const FORMAT = 1;

/** The value of a switch; which ones it may have depends on its name. */
const switchValue: Field<SwitchValue> = {
  zero: () => false,
  read(value, path) {
    if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') return value;
    throw new ShapeError({ problem: 'type', path, expected: 'must be true, false, a number or a word' });
  },
  write: value => value,
  schema: () => ({}),
};

/** Switches by their names. */
const switches: Field<Readonly<Record<string, SwitchValue>>> = {
  zero: () => ({}),
  read(value, path) {
    if (!isRecord(value)) throw new ShapeError({ problem: 'type', path, expected: 'must be an object' });
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, switchValue.read(each, `${path}.${name}`)]),
    );
  },
  write: value => value,
  schema: () => ({ type: 'object' }),
};

const STEP = {
  atMs: required(uint64, 'virtual milliseconds'),
  name: required(text, 'the kind of fault'),
  draw: required(uint64, 'the number of the stream that it draws from'),
} as const;

const MEMBERS = {
  format: required(uint64, 'of this file'),
  class: required(text, 'the class of worlds'),
  seed: required(uint64, 'what is not in the plan is drawn from it'),
  oracle: required(text, 'the promise that was broken when it was found'),
  mutant: optional(text, 'the planted bug that it found; absent: a defect of the project itself'),
  switches: optional(switches, 'the values of the switches'),
  clients: required(list(uint64), 'numbers of the clients that start'),
  channels: required(list(uint64), 'numbers of the channels in which something happens'),
  hours: optional(decimal, 'how long the run is, virtual hours; absent: one storm and its calm'),
  endMs: required(uint64, 'when the run ends, virtual milliseconds'),
  steps: required(list(object(STEP)), 'the faults that happen'),
} as const;

const PLAN = object(MEMBERS);

/** A plan as it lies in a file: everything that a run needs. */
export type PlanFile = ObjectOf<typeof MEMBERS>;

/** The text of a plan's file: one line for each step. */
export function planText(plan: Omit<PlanFile, 'format'>): string {
  const members = Object.entries({ format: FORMAT, ...plan }).filter(([name]) => name !== 'steps');
  const lines = members.map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  const steps = plan.steps.map(step => `    ${JSON.stringify(step)}`);
  return [
    '{',
    ...lines,
    '  "steps": [',
    ...(steps.length > 0 ? [steps.join(',\n')] : []),
    '  ]',
    '}',
    '',
  ].join('\n');
}

/**
 * Reads the text of a plan's file.
 * @param where names the file in messages
 * @throws BadUse
 */
export function readPlan(content: string, where: string): PlanFile {
  try {
    const value: unknown = JSON.parse(content);
    const format = isRecord(value) ? value['format'] : undefined;
    if (typeof format === 'number' && format > FORMAT)
      throw new BadUse(
        `${where} has format ${format}; a version that reads it is needed, this one reads ${FORMAT}`,
      );
    const plan = PLAN.read(value, '');
    checkNames(plan, where);
    return plan;
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError)
      throw new BadUse(`${where}: ${error.message}`);
    throw error;
  }
}

/** Everything that the plan names must be in its world. */
function checkNames(plan: PlanFile, where: string): void {
  const classes: readonly string[] = WORLD_NAMES;
  if (!classes.includes(plan.class))
    throw new BadUse(
      `${where}: class "${plan.class}" is not known; the nearest is "${nearest(plan.class, classes)}"`,
    );
  if (plan.hours !== undefined && !takesHours(plan.class))
    throw new BadUse(`${where}: class ${plan.class} has a length of its own`);
  const table = switchesOf(plan.class);
  const names = table.map(({ name }) => name);
  for (const [name, value] of Object.entries(plan.switches ?? {})) {
    const values = table.find(each => each.name === name)?.values;
    if (values === undefined)
      throw new BadUse(`${where}: switch "${name}" is not known; the nearest is "${nearest(name, names)}"`);
    if (!values.includes(value))
      throw new BadUse(
        `${where}: ${name} "${wordOf(value)}" is not known; the nearest is "${nearest(wordOf(value), values.map(wordOf))}"`,
      );
  }
  for (const [number, { name }] of plan.steps.entries())
    if (!canHappen(plan.class, plan.switches ?? {}, name))
      throw new BadUse(`${where}: step ${number} is "${name}", which is not in its world`);
}
