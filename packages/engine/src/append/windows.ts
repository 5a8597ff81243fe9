import type { AppendOptions } from '../stream/contract.ts';

const WINDOW_MS = 40;
const FULL_WINDOW_MS = 250;
/** Bytes per millisecond that a window lets through: 2 MiB/s of documents, 256 KiB/s of those in full. */
const WINDOW_BYTES = 2_097_152 / 1000;
const FULL_WINDOW_BYTES = 262_144 / 1000;

/** Milliseconds between two publications of a message whose document has so many bytes (append streams 8.3). */
export function windowOf(options: AppendOptions | undefined, size: number): number {
  const { windowMs = WINDOW_MS } = options ?? {};
  return windowMs === 0 ? 0 : Math.ceil(Math.max(windowMs, size / WINDOW_BYTES));
}

/** Milliseconds between two documents of so many bytes in full. */
export function fullWindowOf(fullWindowMs: number | undefined, size: number): number {
  return Math.ceil(Math.max(fullWindowMs ?? FULL_WINDOW_MS, size / FULL_WINDOW_BYTES));
}
