import { basename } from 'node:path';
import { type RoomTables, type SourceFile, target } from './import-rules.ts';

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
  {
    inPackage: 'dash',
    files: ['context.ts', 'overrides.ts', 'variables.ts'],
    reason: 'stays: overrides and variables, inside one room',
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

/** Rooms that import each other in a circle and have not been taken apart yet, by package: the list may only shrink. */
export const KNOWN_ROOM_CYCLES: Readonly<Record<string, readonly string[]>> = {
  protocol: [
    'codec.ts',
    'json',
    'messages',
    'omitted-lists.ts',
    'payload',
    'protobuf',
    'push-target.ts',
    'schema',
  ],
  server: [
    'api',
    'auth/api-keys',
    'auth/access',
    'auth/keys',
    'auth/tokens',
    'channels',
    'config',
    'http',
    'notify',
    'notify/dead-letters',
    'notify/sinks',
    'observability',
    'publishing',
    'rate-limits',
    'rpc',
    'schemas',
    'service',
    'stores',
    'stores/redis',
  ],
};

/** Rooms that a table puts on a circle beyond the known ones, and known ones that are on none any more. */
export function roomCycleFaults(
  tables: RoomTables,
  known: Readonly<Record<string, readonly string[]>> = KNOWN_ROOM_CYCLES,
): string[] {
  return Object.entries(tables).flatMap(([folder, rooms]) => {
    const roomOf = (edge: string): string => {
      const [first = '', second = ''] = edge.split('/');
      return [edge, `${first}/${second}`].find(name => name in rooms) ?? first;
    };
    const edges = Object.entries(rooms).map(([room, may]) => [room, may.map(roomOf)] as const);
    const onCycle = componentsOf(new Map(edges)).flat();
    const allowed = known[folder] ?? [];
    return [
      ...onCycle
        .filter(room => !allowed.includes(room))
        .map(room => `${folder}: ${room} is on a circle of rooms`),
      ...allowed
        .filter(room => !onCycle.includes(room))
        .map(
          room => `${folder}: ${room} is on no circle of rooms any more: remove it from KNOWN_ROOM_CYCLES`,
        ),
    ];
  });
}
