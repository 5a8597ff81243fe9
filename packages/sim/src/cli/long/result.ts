import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PieceIdentity, PieceState } from './state.ts';
import { addCounts, type Counts, type Finding } from './totals.ts';

/** What campaigns came to; a part of the repository. */
export const RESULT = join(import.meta.dirname, '../../../campaign/result.json');
/** What the campaigns are to reach in sum. */
export const GOAL = { deliveries: 1e9, clusterHours: 1e5 } as const;

const HOUR_MS = 3_600_000;

/** What the seeds of one class came to. */
export interface ClassResult {
  readonly seeds: number;
  /** Virtual hours. */
  readonly hours: number;
  /** Virtual hours of runs with two nodes or more on one store. */
  readonly clusterHours: number;
  readonly coreHours: number;
  readonly events: number;
  readonly counts: Readonly<Counts>;
}

/** A finding, and where its plan is kept. */
interface RecordedFinding extends Finding {
  /** The name of its plan in `corpus/` or `corpus/open/`; null until it is adopted. */
  readonly corpus: string | null;
}

/** One campaign on one commit. */
export interface Piece extends PieceIdentity {
  /** When it was added, as in 2026-11-28. */
  readonly date: string;
  /** Finished seeds, as ranges with both ends. */
  readonly seeds: readonly (readonly [first: number, last: number])[];
  readonly coreHours: number;
  readonly deliveries: number;
  readonly clusterHours: number;
  /** Largest memory of a worker, MiB. */
  readonly rssMiB: number;
  readonly classes: Readonly<Record<string, ClassResult>>;
  readonly faults: Readonly<Counts>;
  readonly codes: Readonly<Counts>;
  readonly findings: readonly RecordedFinding[];
}

/** The file. */
export interface Result {
  readonly pieces: readonly Piece[];
}

/** The recorded campaigns; none without the file. */
export function readResult(file = RESULT): Result {
  if (!existsSync(file)) return { pieces: [] };
  return JSON.parse(readFileSync(file, 'utf8')) as Result; // of writePiece
}

/** The seed with which the next piece begins. */
export function nextSeed({ pieces }: Result): number {
  return 1 + Math.max(0, ...pieces.flatMap(({ seeds }) => seeds.map(([, last]) => last)));
}

/** Writes a piece into the file, in place of an earlier state of the same. */
export function writePiece(state: PieceState, date: string, file = RESULT): Piece {
  const { pieces } = readResult(file);
  const earlier = pieces.find(piece => isSame(piece, state.identity));
  const piece = pieceOf(state, date, earlier?.findings ?? []);
  const others = pieces.filter(each => each !== earlier);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ pieces: [...others, piece] }, undefined, 2)}\n`);
  return piece;
}

/** Whether everything of a piece is in the file. */
export function isRecorded({ identity, totals }: PieceState, { pieces }: Result): boolean {
  const piece = pieces.find(each => isSame(each, identity));
  return piece !== undefined && countOf(piece) === totals.seeds;
}

/** How many seeds a piece has. */
export function countOf({ seeds }: Pick<Piece, 'seeds'>): number {
  return seeds.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Sums of all pieces. */
export function sumOf({ pieces }: Result): Omit<Piece, keyof PieceIdentity | 'date' | 'seeds'> & {
  readonly seeds: number;
} {
  const [classes, faults, codes] = [{} as Record<string, ClassResult>, {} as Counts, {} as Counts];
  for (const piece of pieces) {
    for (const [name, result] of Object.entries(piece.classes))
      classes[name] = sumOfClass(classes[name], result);
    addCounts(faults, piece.faults);
    addCounts(codes, piece.codes);
  }
  const sum = (of: (piece: Piece) => number): number => pieces.reduce((total, piece) => total + of(piece), 0);
  return {
    seeds: sum(countOf),
    coreHours: sum(({ coreHours }) => coreHours),
    deliveries: sum(({ deliveries }) => deliveries),
    clusterHours: sum(({ clusterHours }) => clusterHours),
    rssMiB: Math.max(0, ...pieces.map(({ rssMiB }) => rssMiB)),
    findings: pieces.flatMap(({ findings }) => findings),
    ...{ classes, faults, codes },
  };
}

function sumOfClass(before: ClassResult | undefined, result: ClassResult): ClassResult {
  const counts = { ...before?.counts };
  addCounts(counts, result.counts);
  const sum = (name: Exclude<keyof ClassResult, 'counts'>): number => (before?.[name] ?? 0) + result[name];
  return {
    seeds: sum('seeds'),
    hours: sum('hours'),
    clusterHours: sum('clusterHours'),
    coreHours: sum('coreHours'),
    events: sum('events'),
    counts,
  };
}

function pieceOf(
  { identity, totals, done }: PieceState,
  date: string,
  recorded: readonly RecordedFinding[],
): Piece {
  const classes = Object.entries(totals.classes).map(([name, each]) => [
    name,
    {
      seeds: each.seeds,
      hours: hoursOf(each.virtualMs),
      clusterHours: hoursOf(each.clusterMs),
      coreHours: hoursOf(each.coreMs),
      events: each.events,
      counts: each.counts,
    },
  ]);
  const corpusOf = ({ seed, oracle }: Finding): string | null =>
    recorded.find(finding => finding.seed === seed && finding.oracle === oracle)?.corpus ?? null;
  return {
    ...identity,
    date,
    seeds: rangesOf(done),
    coreHours: hoursOf(totals.coreMs),
    deliveries: totals.deliveries,
    clusterHours: hoursOf(totals.clusterMs),
    rssMiB: totals.rssMiB,
    classes: Object.fromEntries(classes),
    faults: totals.faults,
    codes: totals.codes,
    findings: totals.findings.map(finding => ({ ...finding, corpus: corpusOf(finding) })),
  };
}

function isSame(piece: PieceIdentity, identity: PieceIdentity): boolean {
  const { commit, from } = identity;
  return piece.commit === commit && piece.from === from && piece.class === identity.class;
}

function hoursOf(ms: number): number {
  return Math.round((ms / HOUR_MS) * 1000) / 1000;
}

/** Numbers as ranges with both ends. */
function rangesOf(numbers: ReadonlySet<number>): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
