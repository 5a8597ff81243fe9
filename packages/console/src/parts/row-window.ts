import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Rows of a table that are on the page at a time: whatever its cells are, the page stays below 1,500 elements. */
const MOST = 75;
/** The window moves by so many rows, so that most scrolling moves nothing. */
const STEP = 10;
const WHOLE = { first: 0, rowHeight: 0 } as const;

/** The rows of a long table that are near what is seen, and the room of those before and behind, CSS pixels. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
  readonly before: number;
  readonly behind: number;
}

/** Follows scrolling. A table of few rows is whole, and every one is while it is printed. */
export function useRowWindow(count: number, body: RefObject<HTMLTableSectionElement>): RowWindow {
  const [at, setAt] = useState<{ readonly first: number; readonly rowHeight: number }>(WHOLE);
  const [isPrinted, setPrinted] = useState(false);
  useEffect(() => {
    if (count <= MOST) return;
    const look = (): void => {
      const rows = body.current?.querySelectorAll('[aria-rowindex]');
      const [head, last] = [rows?.[0], rows?.[rows.length - 1]];
      if (rows === undefined || head === undefined || last === undefined) return;
      const rowHeight =
        (last.getBoundingClientRect().bottom - head.getBoundingClientRect().top) / rows.length;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const seen = Math.ceil(innerHeight / rowHeight);
      const wanted = Math.floor(-top / rowHeight) - Math.floor((MOST - seen) / 2);
      const first = Math.min(count - MOST, Math.max(0, Math.floor(wanted / STEP) * STEP));
      setAt(before => (before.first === first ? before : { first, rowHeight }));
    };
    const print = (): void => setPrinted(true);
    const printed = (): void => setPrinted(false);
    look();
    document.addEventListener('scroll', look, { passive: true, capture: true });
    addEventListener('resize', look);
    addEventListener('beforeprint', print);
    addEventListener('afterprint', printed);
    return () => {
      document.removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
      removeEventListener('beforeprint', print);
      removeEventListener('afterprint', printed);
    };
  }, [count]);
  if (count <= MOST || isPrinted) return { first: 0, end: count, before: 0, behind: 0 };
  const first = Math.min(at.first, count - MOST);
  const end = first + MOST;
  // Before the first look the height is that of a usual row.
  const rowHeight = at.rowHeight || 36;
  return { first, end, before: first * rowHeight, behind: (count - end) * rowHeight };
}
