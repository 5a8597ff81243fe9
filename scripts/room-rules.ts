import { dirOfPackage, type SourceFile, target } from './source-imports.ts';

/** Rooms by the folder of their package, with the rooms and single files that each may import, types included. */
export type RoomTables = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** What a package shows to others: no file of it imports it. */
const ENTRIES = new Set(['index.ts', 'internal.ts']);

/** Imports that the package's room table does not allow. */
export function roomFaults(file: SourceFile, tables: RoomTables): string[] {
  const rooms = tables[file.path.split('/')[1] ?? ''];
  if (rooms === undefined) return [];
  const home = dirOfPackage(file);
  const room = roomOf(file.path.slice(home.length), rooms);
  const may = rooms[room];
  if (may === undefined) return [`${file.path}: ${room} is not in the room table`];
  return file.imports.flatMap(({ specifier }) => {
    const reached = target(file, specifier)?.slice(home.length);
    if (reached === undefined || roomOf(reached, rooms) === room) return [];
    const allowed =
      may.includes(roomOf(reached, rooms)) ||
      may.includes(reached) ||
      (may.includes('*') && !ENTRIES.has(reached));
    return allowed ? [] : [`${file.path}: the room ${room} must not import ${reached}`];
  });
}

/** Edges of room tables that no import takes any more. */
export function unusedEdges(files: readonly SourceFile[], tables: RoomTables): string[] {
  return Object.entries(tables).flatMap(([folder, rooms]) => {
    const home = `packages/${folder}/src/`;
    const inPackage = files.filter(({ path }) => path.startsWith(home));
    const taken = new Set(
      inPackage.flatMap(file =>
        file.imports.flatMap(({ specifier }) => {
          const reached = target(file, specifier)?.slice(home.length);
          const room = roomOf(file.path.slice(home.length), rooms);
          return reached === undefined ? [] : [`${room} ${roomOf(reached, rooms)}`, `${room} ${reached}`];
        }),
      ),
    );
    return Object.entries(rooms).flatMap(([room, may]) =>
      may
        .filter(edge => edge !== '*' && !taken.has(`${room} ${edge}`))
        .map(edge => `${folder}: no file of ${room} imports ${edge} any more: remove it from the table`),
    );
  });
}

/** The first folder below `src`, the room of a district that the table names, or the file itself at the root. */
function roomOf(path: string, rooms: Readonly<Record<string, unknown>>): string {
  const [first = '', second = ''] = path.split('/');
  const inDistrict = `${first}/${second}`;
  return inDistrict in rooms ? inDistrict : first;
}
