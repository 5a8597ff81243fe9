import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@msg/testkit';
import { Prng } from '../../packages/engine/test/model/prng.ts';
import { type CommittedRow, faultsOf, hasAll } from './oracle.ts';
import { atMoment } from './points.ts';
import { openStage, type Stage } from './stage.ts';
import { STRIKES, type Strike } from './strikes.ts';

export interface RunPlan {
  readonly seed: number;
  readonly strikes: number;
  /** At least so many transactions end, committed or rolled back. */
  readonly transactions: number;
  readonly onStrike?: (name: string) => void;
  /** Is given what ends everything that runs: a command that is interrupted leaves nothing behind. */
  readonly onOpen?: (stop: () => Promise<void>) => void;
}

export interface Outcome {
  readonly seed: number;
  readonly kills: number;
  /** Of them those at the moment that was meant. */
  readonly atPoints: number;
  readonly committed: number;
  readonly rolledBack: number;
  /** Transactions whose writer was killed or cut off before it knew. */
  readonly unknown: number;
  /** Publications that were committed. */
  readonly publications: number;
  /** What listeners got, all of them together. */
  readonly heard: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** A moment that does not come in this time is not waited for: the victim is struck as it is. */
const MOMENT_MS = 4_000;
const NETWORK_MS = 400;
/** A lease, a backoff, the largest wait of a listener, and room for a busy machine. */
const CALM_MS = 180_000;
const LATEST_STRIKE_MS = 300;
const STARTS = 20;

/** Writes, strikes, lets everything come to rest, and asks what the listeners saw. */
export async function run(plan: RunPlan): Promise<Outcome> {
  const begun = performance.now();
  const stage = await openStage(plan.seed);
  plan.onOpen?.(stage.stop);
  try {
    const counts = await strikeAll(stage, plan);
    await until(stage, plan.transactions);
    await stage.finishWriters();
    const committed = committedRows(stage);
    const faults = [...(await rest(stage, committed)), ...judged(stage, committed)];
    const { c, r, u } = stage.ends;
    return {
      seed: plan.seed,
      ...counts,
      committed: c,
      rolledBack: r,
      unknown: u,
      publications: committed.length,
      heard: heard(stage).reduce((sum, { numbers }) => sum + numbers.length, 0),
      faults,
      seconds: Math.round((performance.now() - begun) / 1000),
    };
  } finally {
    await stage.stop();
  }
}

const ended = ({ ends }: Stage): number => ends.c + ends.r;
const until = (stage: Stage, transactions: number): Promise<void> =>
  eventually(`${transactions} transactions`, () => ended(stage) >= transactions, 600_000, 20);

/** The strikes in a drawn order, each once before one comes again. Between two of them the writers go on. */
async function strikeAll(
  stage: Stage,
  { seed, strikes, transactions, onStrike }: RunPlan,
): Promise<Pick<Outcome, 'kills' | 'atPoints'>> {
  const random = new Prng(seed);
  const counts = { kills: 0, atPoints: 0 };
  const restarts: Restarts = new Map();
  let deck: Strike[] = [];
  while (counts.kills < strikes) {
    if (deck.length === 0) deck = shuffled(STRIKES, random);
    const strike = deck.pop() as Strike; // just filled
    await until(stage, (transactions * counts.kills) / strikes);
    onStrike?.(strike.name);
    if ('network' in strike) {
      await disturb(stage, strike.network);
      continue;
    }
    const ends = strike.line?.split('-') ?? [strike.victim];
    await Promise.all(ends.map(end => restarts.get(end)));
    const isHit = await kill(stage, strike, random, restarts);
    counts.kills++;
    if (isHit) counts.atPoints++;
  }
  await Promise.all(restarts.values());
  return counts;
}

/** Starts that are under way, by what starts: others are struck meanwhile. */
type Restarts = Map<string, Promise<void>>;

/** Kills and begins to start again; whether it was at the moment that was meant. */
async function kill(
  { actors, lines }: Stage,
  strike: Exclude<Strike, { network: string }>,
  random: Prng,
  restarts: Restarts,
): Promise<boolean> {
  const victims = actors[strike.victim];
  let victim = random.pick(victims);
  const killing: (void | Promise<void>)[] = [];
  let isHit = false;
  if (strike.line === undefined) {
    await pause(random.below(LATEST_STRIKE_MS));
  } else {
    isHit = await atMoment(lines[strike.line], strike.moment, MOMENT_MS, index => {
      // The one at that end of the line; there is one database and one store for all.
      victim = victims[index % victims.length] ?? victim;
      killing.push(victim.kill());
    });
  }
  if (!isHit) killing.push(victim.kill());
  await Promise.all(killing);
  const restart = again(() => victim.restart());
  restart.catch(() => undefined); // told where it is waited for
  restarts.set(strike.victim, restart);
  if (SHARED.has(strike.victim)) await restart;
  return isHit;
}

/** Without them nothing goes on. */
const SHARED: ReadonlySet<string> = new Set(['postgres', 'redis']);

/** A server that was killed may find traces of itself. */
async function again(start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries >= STARTS) throw error;
      await pause(100);
    }
  }
}

/** All lines to the database are late, or cut, for a while. */
async function disturb({ lines }: Stage, fault: 'cut' | 'delay'): Promise<void> {
  const all = [lines['writer-postgres'], lines['worker-postgres'], lines['node-postgres']].flat();
  for (const proxy of all) proxy.fault = fault === 'cut' ? 'cut' : { delayMs: 60 };
  await pause(NETWORK_MS);
  for (const proxy of all) proxy.fault = 'pass';
}

function shuffled<T>(values: readonly T[], random: Prng): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

const COMMITTED = `SELECT json_agg(json_build_array(n, channel, session, coalesce(position, id),
  (extract(epoch FROM begun_at) * 1000000)::bigint,
  (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000000)::bigint)) FROM orders`;

/** What the application has: the truth. */
function committedRows({ postgres }: Stage): readonly CommittedRow[] {
  const rows = JSON.parse(postgres.sql(COMMITTED)) as [number, string, number, number, number, number][];
  return rows.map(([n, channel, session, position, begunUs, committedUs]) => ({
    n,
    channel,
    session,
    position,
    begunUs,
    committedUs,
  }));
}

const heard = ({ listeners }: Stage) => listeners.flatMap(each => each.heard());

/** Waits until nothing waits and everybody has everything; what is left is a fault. */
async function rest(stage: Stage, committed: readonly CommittedRow[]): Promise<string[]> {
  const waiting = () => stage.postgres.sql('SELECT count(*) FROM msg.outbox');
  const isAtRest = () => hasAll(committed, heard(stage)) && waiting() === '0';
  const faults = await eventually('everything arrived', isAtRest, CALM_MS, 200).then(
    () => [],
    () => [`after ${CALM_MS / 1000} s ${waiting()} rows wait`],
  );
  const dead = stage.postgres.sql('SELECT count(*) FROM msg.outbox_dead');
  // What comes too often comes late.
  await pause(1_000);
  return dead === '0' ? faults : [...faults, `${dead} dead rows`];
}

function judged(stage: Stage, committed: readonly CommittedRow[]): string[] {
  return [
    ...heard(stage).flatMap(each => faultsOf(committed, each)),
    ...stage.listeners.flatMap(({ told }) => told),
  ];
}
