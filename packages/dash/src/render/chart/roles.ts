/** What a chart may be coloured with: the properties of the design, so that one drawing serves light, dark and print. */
export const ROLES = [
  '--surface',
  '--line',
  '--line-strong',
  '--ink',
  '--ink-2',
  '--ink-3',
  '--accent',
  '--ok-mark',
  '--warn-mark',
  '--bad-mark',
  '--series-1',
  '--series-2',
  '--series-3',
  '--series-4',
  '--series-5',
  '--series-6',
  '--series-7',
  '--series-8',
] as const;

export type Role = (typeof ROLES)[number];

/** The colour of a role: on the server a reference to its property, in the browser the value it has there. */
export type Palette = (role: Role) => string;

/** The role of a place in the palette of series. */
export function seriesRole(slot: number): Role {
  return `--series-${slot}` as Role;
}

/** The dashes of a line from the fifth series on, where hue alone is not enough; none before. */
export function seriesDash(slot: number): number[] | undefined {
  return DASHES[slot];
}

const DASHES: Readonly<Record<number, number[]>> = { 5: [6, 3], 6: [2, 3], 7: [8, 3, 2, 3], 8: [1, 3] };
