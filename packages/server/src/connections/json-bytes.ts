/** JSON bytes of a value; a map is the object that an answer holds in its place. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value, objectOfMap));
}

function objectOfMap(_name: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

/** The first rows whose JSON takes at most so many bytes: at least one, so that a listing always goes on. */
export function rowsWithin<Placed>(
  mostBytes: number,
  placed: readonly Placed[],
  rowOf: (item: Placed) => unknown,
): readonly Placed[] {
  let bytes = 0;
  const end = placed.findIndex((item, index) => {
    bytes += jsonBytes(rowOf(item)) + 1;
    return bytes > mostBytes && index > 0;
  });
  return end === -1 ? placed : placed.slice(0, end);
}
