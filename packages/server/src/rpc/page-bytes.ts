/** JSON bytes that the rows of a page take at most: a browser shows them at once, whatever their users are called. */
const PAGE_BYTES = 63_000;

/**
 * The first rows of a page, as many as fit: at least one, so that a listing always goes on. The rows that are left out begin
 * the next page. Source: console, sections 7 and 11.
 */
export function fitting<Placed>(
  placed: readonly Placed[],
  rowOf: (item: Placed) => object,
): readonly Placed[] {
  let bytes = 0;
  const end = placed.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(rowOf(item))) + 1;
    return bytes > PAGE_BYTES && index > 0;
  });
  return end === -1 ? placed : placed.slice(0, end);
}
