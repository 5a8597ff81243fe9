import { clamp, type Point } from '../shared/board.ts';

/** Longest time between two publications of one pointer, milliseconds: 25 in a second look smooth. */
const INTERVAL_MS = 40;
/** How far an arrow key moves. */
const STEP = 0.02;
const KEYS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/**
 * Follows the pointer and the arrow keys on the board; `moved` hears of it at most every 40 ms, and always of the last
 * place. The answer ends it.
 */
export function followPointer(board: HTMLElement, moved: (point: Point) => void): () => void {
  let point: Point = { x: 0.5, y: 0.5 };
  let timer: number | undefined;
  const move = (next: Point): void => {
    point = next;
    timer ??= window.setTimeout(() => {
      timer = undefined;
      moved(point);
    }, INTERVAL_MS);
  };
  const onPointer = ({ clientX, clientY }: PointerEvent): void => {
    const { left, top, width, height } = board.getBoundingClientRect();
    move({ x: clamp((clientX - left) / width), y: clamp((clientY - top) / height) });
  };
  const onKey = (event: KeyboardEvent): void => {
    const [x, y] = KEYS[event.key] ?? [];
    if (x === undefined || y === undefined) return;
    event.preventDefault();
    move({ x: clamp(point.x + x), y: clamp(point.y + y) });
  };
  board.addEventListener('pointermove', onPointer);
  board.addEventListener('keydown', onKey);
  return () => {
    clearTimeout(timer);
    board.removeEventListener('pointermove', onPointer);
    board.removeEventListener('keydown', onKey);
  };
}

const COLOURS = 7;

/** The number of the colour of a client: always the same one. */
export const colourOf = (client: string): number =>
  [...client].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % COLOURS;
