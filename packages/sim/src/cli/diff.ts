import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playInProcess } from './run-process.ts';

/** Events that are shown before the first that differs. */
const BEFORE = 20;

/**
 * Plays a seed in two processes and compares every event. Both are recorded whole: of a run that is not repeatable a third
 * one would differ elsewhere. Empty if they are equal.
 */
export function differenceOf(world: string, seed: number): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'msg-sim-'));
  try {
    const [first = [], second = []] = ['first', 'second'].map(name => {
      const record = join(folder, name);
      const [run] = playInProcess({ world, seeds: [seed], guard: false, record });
      if (run?.fault !== undefined) throw new Error(run.fault);
      return readFileSync(record, 'utf8').split('\n');
    });
    return firstDifference(first, second);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The first line that differs, with those before it. */
export function firstDifference(first: readonly string[], second: readonly string[]): string[] {
  const at = Array.from({ length: Math.max(first.length, second.length) }).findIndex(
    (_, i) => first[i] !== second[i],
  );
  if (at < 0) return [];
  return [
    ...first.slice(Math.max(0, at - BEFORE), at).map(line => `    ${line}`),
    `first  ${first[at] ?? 'ends'}`,
    `second ${second[at] ?? 'ends'}`,
    `event ${at + 1} is the first that differs`,
  ];
}
