/** One part of the nightly run: a command in its long form. */
export interface NightlyPart {
  readonly name: string;
  /** The command; `<seed>` stands for the seed of the run. */
  readonly command: string;
}

const HOSTILE_SHARES = 8;

/** Every proof in its long form. A part that takes long is in shares, so that an interrupted run goes on with the next. */
export const NIGHTLY_PARTS: readonly NightlyPart[] = [
  { name: 'topologies', command: 'npm run --silent test:topologies' },
  { name: 'conformance', command: 'npm run --silent conformance' },
  { name: 'conformance on a cluster', command: 'npm run --silent conformance -- --cluster' },
  { name: 'conformance with threads', command: 'npm run --silent conformance -- --threads 2' },
  { name: 'conformance of all releases', command: 'npm run --silent conformance -- clients' },
  ...Array.from({ length: HOSTILE_SHARES }, (_, share) => ({
    name: `hostile ${share + 1}/${HOSTILE_SHARES}`,
    command: `npm run --silent hostile -- --seed <seed> --part ${share + 1}/${HOSTILE_SHARES}`,
  })),
  { name: 'hostile with threads', command: 'npm run --silent hostile -- --seed <seed> --threads 2' },
  { name: 'truth across threads', command: 'MSG_TEST_SEED=<seed> npm run --silent threads:truth' },
  { name: 'model', command: 'npm run --silent model -- --seed <seed> --runs 1000000' },
  {
    name: 'model over links',
    command: 'npm run --silent model:threads -- --seed <seed> --runs 1000000',
  },
  { name: 'append model', command: 'npm run --silent model:append -- --seed <seed> --runs 2000' },
  {
    name: 'append model on Redis',
    command: 'npm run --silent model:append -- --seed <seed> --redis --runs 200',
  },
  { name: 'formal model', command: 'npm run --silent sim:formal -- --seed <seed>' },
  { name: 'bridge to reality', command: 'npm run --silent sim:bridge -- --seed <seed>' },
  {
    name: 'campaign of the simulation',
    // Each commit has a folder of its own: a call with the same seed goes on where an interrupted one was.
    command:
      'npm run --silent sim:long -- --until deliveries=1e7 --from <seed> ' +
      '--state .tmp/nightly/campaign-<seed>-$(git rev-parse --short HEAD)',
  },
  { name: 'append streams and stock clients', command: 'MSG_SEED=<seed> npm run --silent stock:append' },
  { name: 'state that fits', command: 'MSG_SEED=<seed> npm run --silent outbox:state' },
  { name: 'fuzz', command: 'npm run --silent fuzz -- 60 <seed>' },
  { name: 'any bytes', command: 'npm run --silent bytes' },
  {
    name: 'simulated cluster beside a real one',
    command: 'npm run --silent sim:redis -- cluster --calls 100000 --seed <seed>',
  },
  { name: 'fuzz of append streams', command: 'MSG_SEED=<seed> npm run --silent fuzz:append' },
  { name: 'fuzz of the generator', command: 'npm run --silent fuzz:codegen' },
  { name: 'dash:crash', command: 'npm run --silent dash:crash -- 600 <seed>' },
  { name: 'dash:pages', command: 'npm run --silent dash:pages' },
  { name: 'faults', command: 'npm run --silent faults -- --seed <seed> --rounds 10' },
  { name: 'threads:faults', command: 'npm run --silent threads:faults -- --seed <seed>' },
  { name: 'jobs:siege', command: 'npm run --silent jobs:siege -- --seed <seed> --rounds 20' },
  { name: 'outbox:kill', command: 'npm run --silent outbox:kill -- --seed <seed>' },
  { name: 'planted bugs', command: 'npm run --silent sim -- mutants' },
  { name: 'matrix', command: 'npm run --silent test:matrix -- --all' },
];

export interface PartResult {
  readonly name: string;
  readonly command: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** The end of what it printed. */
  readonly lastLines: readonly string[];
}

/** The report of a run. A run that goes on skips the parts that passed. */
export interface NightlyReport {
  readonly seed: number;
  readonly parts: readonly PartResult[];
}

export interface NightlyRun {
  readonly parts: readonly NightlyPart[];
  /** What an earlier run with this seed left, or an empty report. */
  readonly before: NightlyReport;
  /** Runs a command; answers whether it passed, and what it printed. */
  readonly execute: (command: string) => Promise<{ readonly passed: boolean; readonly output: string }>;
  /** Seconds on a clock that only moves forward. */
  readonly now: () => number;
  /** Called after each part, so that an interruption loses one part at most. */
  readonly save: (report: NightlyReport) => void;
}

const LAST_LINES = 20;

/** Runs the parts that have not passed yet, one after the other. */
export async function runNightly({ parts, before, execute, now, save }: NightlyRun): Promise<NightlyReport> {
  let report = before;
  for (const { name, command } of parts) {
    if (report.parts.some(part => part.name === name && part.passed)) continue;
    const line = command.replaceAll('<seed>', String(report.seed));
    const begun = now();
    const { passed, output } = await execute(line);
    const lastLines = output.trimEnd().split('\n').slice(-LAST_LINES);
    const result = { name, command: line, passed, seconds: Math.round(now() - begun), lastLines };
    report = { ...report, parts: [...report.parts.filter(part => part.name !== name), result] };
    save(report);
  }
  return report;
}
