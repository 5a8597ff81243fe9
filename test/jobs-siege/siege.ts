import { setTimeout as pause } from 'node:timers/promises';
import { Prng } from '../../packages/engine/test/model/prng.ts';
import { Operator } from './acts.ts';
import { Destination } from './destination.ts';
import { allEnded, beginJobs, interruptedOf, jobsOf, sumFaults, tripJob } from './jobs.ts';
import { Ledger } from './ledger.ts';
import { DEAD, Nodes, SINKS } from './nodes.ts';

const NODES = 2;
const LETTERS_OF_DEAD = 30;
const OPERATORS = 3;
const MOST_RESTORED = 500;
const LONGEST_PAUSE_MS = 40;
const [FIRST_STRIKE_MS, LAST_STRIKE_MS] = [200, 1500];

/** Fewer jobs that another node goes on with prove nothing. */
export const ENOUGH_RESUMED = 2;

export interface SiegePlan {
  readonly seed: number;
  /** How often a node is killed; up to twice as often where that met too few jobs. */
  readonly kills: number;
  /** Letters of each sink whose destination takes most of them. */
  readonly letters: number;
}

export interface Outcome {
  readonly seed: number;
  readonly kills: number;
  readonly letters: number;
  readonly taken: number;
  /** Letters that arrived while their node was killed: they stay listed, and nothing sends them again by itself. */
  readonly unknown: number;
  readonly resumed: number;
  readonly tripped: number;
  readonly acts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly seconds: number;
}

export interface Stage {
  readonly nodes: Nodes;
  readonly destination: Destination;
  readonly ledger: Ledger;
  readonly random: Prng;
  /** The node that works on each job, by its number. */
  readonly owners: Map<string, number>;
}

/** Parks the letters of a sink, and learns their ids. */
async function park({ nodes, destination, ledger }: Stage, sink: string, count: number): Promise<void> {
  const { rpc } = nodes.at(0);
  for (let n = 0; n < count; n++)
    await rpc.call('PublishOrSink', {
      name: 'public:shop.nobody',
      sink,
      recipient: { url: `${destination.url}/${sink}` },
      message: { subject: '', body: JSON.stringify({ n, version: 0 }), metadata: new Map() },
    });
  const { items } = await rpc.call('DlqList', { sink });
  // Jobs send the oldest first.
  for (const { id, body } of items.toReversed())
    ledger.add(id, sink, (JSON.parse(body) as { readonly n: number }).n);
}

/** Ids of all letters that are listed. */
async function listed(nodes: Nodes, at: number): Promise<ReadonlySet<string>> {
  const pages = await Promise.all([...SINKS, DEAD].map(sink => nodes.at(at).rpc.call('DlqList', { sink })));
  return new Set(pages.flatMap(({ items }) => items.map(({ id }) => id)));
}

/** Jobs run, operators act, and nodes are killed and started again. */
export async function siege({ seed, kills, letters }: SiegePlan): Promise<Outcome> {
  const begun = performance.now();
  const random = new Prng(seed);
  const ledger = new Ledger();
  const destination = new Destination(new Prng(random.next()));
  const nodes = await Nodes.start(NODES, await destination.listen()).catch(async error => {
    await destination.close();
    throw error;
  });
  try {
    const stage = { nodes, destination, ledger, random, owners: new Map<string, number>() };
    for (const sink of SINKS) await park(stage, sink, letters);
    await park(stage, DEAD, LETTERS_OF_DEAD);
    const counts = await besiege(stage, kills);
    const seconds = Math.round((performance.now() - begun) / 1000);
    return { seed, letters: SINKS.length * letters, ...counts, faults: ledger.faults, seconds };
  } finally {
    await nodes.stop();
    await destination.close();
  }
}

/** What destinations do: one in seven letters is never taken, and sometimes the connection is cut. */
function treatmentOf(random: Prng): Destination['treat'] {
  return (sink, { n }) => {
    if (sink === DEAD || n % 7 === 0) return 'refuses';
    return random.chance(3) ? 'cuts' : 'takes';
  };
}

async function besiege(
  stage: Stage,
  kills: number,
): Promise<Omit<Outcome, 'seed' | 'letters' | 'faults' | 'seconds'>> {
  const { nodes, destination, ledger, random } = stage;
  destination.treat = treatmentOf(new Prng(random.next()));
  destination.onTaken = (sink, letter) => ledger.take(sink, letter);
  const counts = { kills: 0, unknown: 0, resumed: 0, tripped: 0 };
  const operator = new Operator(nodes, ledger, random);
  const over = new AbortController();
  const operators = Array.from({ length: OPERATORS }, async () => {
    while (!over.signal.aborted) {
      await operator.act();
      await pause(random.below(LONGEST_PAUSE_MS));
    }
  });
  // On a busy machine jobs may have ended before their node is killed.
  while (counts.kills < kills || (counts.resumed < ENOUGH_RESUMED && counts.kills < 2 * kills)) {
    const { unknown, resumed } = await strike(stage);
    counts.kills++;
    counts.unknown += unknown;
    counts.resumed += resumed;
    counts.tripped++;
  }
  over.abort();
  await Promise.all(operators);
  await allEnded(nodes.at(0));
  // What is hidden shows again.
  const ids = ledger.entries.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += MOST_RESTORED)
    await nodes.at(0).rpc.call('DlqRestore', { ids: ids.slice(at, at + MOST_RESTORED) });
  const jobs = await jobsOf(nodes.at(0));
  ledger.close(await listed(nodes, 0));
  ledger.faults.push(...sumFaults(jobs));
  const taken = ledger.entries.reduce((sum, entry) => sum + entry.taken, 0);
  const sent = operator.sent + jobs.reduce((sum, job) => sum + job.sent, 0);
  if (sent > taken) ledger.faults.push(`${sent} letters are counted as sent, and ${taken} arrived`);
  return { ...counts, taken, acts: operator.done };
}

/** One kill: a job trips at the dead destination, others run, a node dies, and the other one goes on. */
async function strike(stage: Stage): Promise<{ readonly unknown: number; readonly resumed: number }> {
  const { nodes, destination, ledger, random, owners } = stage;
  const trip = await tripJob(nodes.at(random.below(nodes.count)), random, () => destination.refusedAt(DEAD));
  if (trip !== undefined) ledger.faults.push(trip);
  // Right before the kill: the fewer letters are left, the sooner a job has ended.
  await beginJobs(stage);
  await pause(random.between(FIRST_STRIKE_MS, LAST_STRIKE_MS));
  const going = await jobsOf(nodes.at(0));
  // One that has a job, as long as there are jobs.
  const busy = going.flatMap(({ id, ended_at: end }) => (end === '' ? [owners.get(id) ?? 0] : []));
  const victim = busy.length === 0 ? random.below(nodes.count) : random.pick(busy);
  const living = (victim + 1) % nodes.count;
  await nodes.kill(victim);
  const held = going.filter(({ id, ended_at: end }) => end === '' && owners.get(id) === victim);
  const interrupted = await interruptedOf(nodes.at(living), held);
  const unknown = ledger.killed(await listed(nodes, living));
  for (const { id, node } of interrupted) {
    const { job } = await nodes.at(living).rpc.call('DlqRedrive', { resume: id });
    if (job === null || job.node === node) ledger.faults.push(`job ${id} does not go on at another node`);
    owners.set(id, living);
  }
  await nodes.restart(victim);
  return { unknown, resumed: interrupted.length };
}
