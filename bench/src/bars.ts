/** A bar of bench/README.md that a bench printed beside what it measured. */
export interface Bar {
  /** The line that holds it, without its indentation. */
  readonly line: string;
  readonly measured: number;
  readonly bound: '≤' | '≥';
  readonly wanted: number;
}

/** A small run on a machine that does something else besides is worse than a long one by this part at most. */
export const MARGIN = 0.35;

/** The ratio bars in the output of a bench: the ratio of its pairs, and what is wanted of it. */
export function barsOf(output: string): Bar[] {
  return output.split('\n').flatMap(line => {
    const match = /ratio (?<ratio>[\d.]+) .*, wanted (?<bound>[≤≥]) (?<wanted>[\d.]+)/u.exec(line);
    const { ratio, bound, wanted } = match?.groups ?? {};
    if (bound !== '≤' && bound !== '≥') return [];
    return [{ line: line.trim(), measured: Number(ratio), bound, wanted: Number(wanted) }];
  });
}

/** What a bar allows in a small run. */
export function allowedBy({ bound, wanted }: Bar): number {
  return bound === '≤' ? wanted * (1 + MARGIN) : wanted / (1 + MARGIN);
}

/** False for a figure that is worse than its bar by more than the margin, and for one that is not a number. */
export function holds(bar: Bar): boolean {
  const { measured, bound } = bar;
  return bound === '≤' ? measured <= allowedBy(bar) : measured >= allowedBy(bar);
}
