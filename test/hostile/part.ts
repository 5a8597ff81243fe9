/** Which share of the attacks a run makes. */
export interface Part {
  /** What it is called in the report. */
  readonly name: string;
  /** The fixed part that every change runs: some attacks stand for all, against fewer peers. */
  readonly short: boolean;
  /** The attacks at these places of a list: the same in every run of a seed. */
  of<T>(attacks: readonly T[]): readonly T[];
}

const SHARE = /^(\d{1,4})\/(\d{1,4})$/;

/**
 * Reads `--part`: `ci`, or `2/8`, the second of eight shares, which together are the whole. Absent: the whole.
 * @throws RangeError for anything else
 */
export function parsePart(text: string | undefined): Part {
  if (text === undefined) return { name: 'all', short: false, of: attacks => attacks };
  if (text === 'ci') return { name: 'the part for CI', short: true, of: attacks => attacks };
  const match = SHARE.exec(text);
  const [number, shares] = [Number(match?.[1]), Number(match?.[2])];
  if (!(number >= 1 && number <= shares)) {
    throw new RangeError(`--part must be ci or <number>/<shares>, such as 2/8; got ${text}`);
  }
  return {
    name: `part ${number} of ${shares}`,
    short: false,
    of: attacks => attacks.filter((_, i) => i % shares === number - 1),
  };
}
