import type { WorldKernel } from '../kernel/world-kernel.ts';

/** Of each run how often its clients were told each code. */
const codes = new WeakMap<WorldKernel, Map<number, number>>();
/** The first code of an end that the service decided. */
const SERVER_ENDS = 2000;

/** How often the clients of a run were told each code of an end. */
export function codesOf(kernel: WorldKernel): Map<number, number> {
  const counted = codes.get(kernel) ?? new Map<number, number>();
  codes.set(kernel, counted);
  return counted;
}

/** Counts a code that a client was told, if it is one of the service. */
export function noteCode(kernel: WorldKernel, code: number): void {
  if (code < SERVER_ENDS) return;
  const counted = codesOf(kernel);
  counted.set(code, (counted.get(code) ?? 0) + 1);
}
