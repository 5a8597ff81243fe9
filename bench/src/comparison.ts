import { parseArgs } from 'node:util';

/** One measurement of the engine and the baseline's right beside it. */
export interface Pair<Sample> {
  readonly engine: Sample;
  readonly baseline: Sample;
}

/** Fewer pairs than this say nothing about spread. */
const MIN_PAIRS = 5;

/**
 * Measures both sides in turns, so that whatever slows the machine slows both. Each side runs once unmeasured
 * before; who goes first alternates.
 */
export async function measureInTurns<Sample>(
  pairs: number,
  engine: () => Promise<Sample>,
  baseline: () => Promise<Sample>,
): Promise<readonly Pair<Sample>[]> {
  await engine();
  await baseline();
  const measured: Pair<Sample>[] = [];
  while (measured.length < Math.max(MIN_PAIRS, pairs)) {
    if (measured.length % 2 === 0) measured.push({ engine: await engine(), baseline: await baseline() });
    else {
      const first = await baseline();
      measured.push({ engine: await engine(), baseline: first });
    }
  }
  return measured;
}

/** Reads numeric options; their defaults name them. */
export function numericOptions<Name extends string>(
  args: string[],
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(defaults) as Name[];
  const options = Object.fromEntries(names.map(name => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args, options });
  const result: Record<Name, number> = { ...defaults };
  for (const name of names) {
    const text = values[name];
    if (text === undefined) continue;
    const value = Number(text);
    if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a positive number`);
    result[name] = value;
  }
  return result;
}
