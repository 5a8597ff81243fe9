import { basename } from 'node:path';
import type { RoomTables } from './room-rules.ts';
import { type SourceFile, target } from './source-imports.ts';

/** A circle of files: their package and their names without folders, so that a file may move. */
export interface KnownCycle {
  readonly inPackage: string;
  readonly files: readonly string[];
  readonly reason: string;
}

/** Cycles that stay, or stay until a step of the plan breaks them. */
export const KNOWN_CYCLES: readonly KnownCycle[] = [
  {
    inPackage: 'protocol',
    files: ['field.ts', 'key-trie.ts', 'message-type.ts'],
    reason: 'stays: a field type refers to messages, which are made of fields',
  },
];

/**
 * Groups of files that import each other in a circle, types included: the strongly connected components of more than one
 * file (Tarjan), each sorted.
 */
export function findCycles(files: readonly SourceFile[]): string[][] {
  return componentsOf(
    new Map(
      files.map(file => [
        file.path,
        file.imports.flatMap(({ specifier, lazy }) => (lazy ? [] : [target(file, specifier)])),
      ]),
    ),
  );
}

/** The strongly connected components of more than one member, each sorted. */
function componentsOf(edges: ReadonlyMap<string, readonly (string | null)[]>): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): number => {
    const own = order.size;
    order.set(path, own);
    stack.push(path);
    let lowest = own;
    for (const next of edges.get(path) ?? []) {
      if (next === null || !edges.has(next)) continue;
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? own);
    }
    if (lowest === own) {
      const members = stack.splice(stack.indexOf(path));
      if (members.length > 1) cycles.push(members.sort());
    }
    return lowest;
  };
  for (const path of edges.keys()) if (!order.has(path)) visit(path);
  return cycles;
}

/** Cycles with a file that no known cycle has, and known ones that are gone. */
export function cycleFaults(
  files: readonly SourceFile[],
  known: readonly KnownCycle[] = KNOWN_CYCLES,
): string[] {
  const cycles = findCycles(files);
  const isPartOf = (cycle: readonly string[], { inPackage, files: names }: KnownCycle): boolean =>
    cycle.every(path => path.startsWith(`packages/${inPackage}/`) && names.includes(basename(path)));
  return [
    ...cycles
      .filter(cycle => !known.some(row => isPartOf(cycle, row)))
      .map(cycle => `import cycle, types included: ${cycle.join(', ')}`),
    ...known
      .filter(row => !cycles.some(cycle => isPartOf(cycle, row)))
      .map(({ inPackage, files: names }) => {
        const where = `${inPackage}: ${names.join(', ')}`;
        return `no longer a cycle, remove it from KNOWN_CYCLES: ${where}`;
      }),
  ];
}

/** Rooms that a table puts on a circle. */
export function roomCycleFaults(tables: RoomTables): string[] {
  return Object.entries(tables).flatMap(([folder, rooms]) => {
    const roomOf = (edge: string): string => {
      const [first = '', second = ''] = edge.split('/');
      return [edge, `${first}/${second}`].find(name => name in rooms) ?? first;
    };
    const edges = Object.entries(rooms).map(([room, may]) => [room, may.map(roomOf)] as const);
    return componentsOf(new Map(edges))
      .flat()
      .map(room => `${folder}: ${room} is on a circle of rooms`);
  });
}
