import { Stream } from '../../kernel/stream.ts';
import type { Bytes } from '../../redis/reply.ts';
import { Draw } from '../draw.ts';
import { normalised } from '../normalise.ts';
import { type Node, shownNode } from '../replies.ts';
import { FuzzReport } from '../report.ts';
import { translator } from '../run.ts';
import { shortest } from '../shrink.ts';
import { type ClusterStep, drawClusterSteps } from './draw-steps.ts';
import { type RealCluster, RealClusterTalk } from './real.ts';
import { SimulatedCluster } from './simulated.ts';

interface ClusterFuzzOptions {
  readonly calls: number;
  readonly seed: number;
  readonly real: RealCluster;
}

/** How often a sequence that differs is played again before it counts: a busy machine lets messages come late. */
const REPEATS = 2;

/** The first step after which the two clusters differ. */
interface ClusterDifference {
  readonly at: number;
  readonly real: string;
  readonly simulated: string;
}

/** Sends drawn calls to a real cluster and to the simulated one, while slots move, until one reply differs or enough were equal. */
export async function runClusterFuzz({ calls, seed, real }: ClusterFuzzOptions): Promise<FuzzReport> {
  const report = new FuzzReport();
  const members = real.nodes.map((place, at) => ({ id: real.ids[at] ?? '', place }));
  const simulated = new SimulatedCluster(members, translator());
  const game = { real, simulated, report };
  const differs = async (
    steps: readonly ClusterStep[],
    owner?: number,
  ): Promise<ClusterDifference | undefined> => {
    let difference = await play(steps, game, owner);
    for (let again = 0; again < REPEATS && difference !== undefined; again++)
      difference = await play(steps, game, owner);
    return difference;
  };
  for (let serial = 0; report.calls < calls && report.difference.length === 0; serial++) {
    const stream = new Stream(`${seed}/cluster ${serial}`);
    const steps = drawClusterSteps(new Draw(stream, 0));
    report.count(steps.map(callOf), []);
    const owner = ownerOfMoved(steps, simulated);
    const difference = await differs(steps, owner);
    if (difference === undefined) continue;
    const least = await shortest(steps, async fewer => (await differs(fewer, owner)) !== undefined);
    const last = (await differs(least, owner)) ?? difference;
    report.difference = [
      ...least.map(shownStep),
      `real cluster: ${last.real}`,
      `simulated:    ${last.simulated}`,
    ];
  }
  return report;
}

interface Game {
  readonly real: RealCluster;
  readonly simulated: SimulatedCluster;
  readonly report: FuzzReport;
}

/** Which member serves the slot that moves; undefined: none moves. */
function ownerOfMoved(steps: readonly ClusterStep[], simulated: SimulatedCluster): number | undefined {
  const begin = steps.find(({ kind }) => kind === 'begin');
  return begin?.kind === 'begin' ? simulated.ownerOf(begin.key) : undefined;
}

/** @param owner the member that serves the slot that moves, at the beginning; undefined: none moves */
async function play(
  steps: readonly ClusterStep[],
  { real, simulated, report }: Game,
  owner: number | undefined,
): Promise<ClusterDifference | undefined> {
  const talk = await RealClusterTalk.open(real);
  simulated.reset();
  const begin = steps.find(({ kind }) => kind === 'begin');
  if (begin?.kind === 'begin' && owner !== undefined) {
    await operate({ ...begin, to: owner }, talk, simulated);
    await operate({ kind: 'end' }, talk, simulated);
  }
  try {
    for (const [at, step] of steps.entries()) {
      if (step.kind === 'call') {
        const [first, second] = [await talk.call(step.node, step.args), simulated.call(step.node, step.args)];
        report.count([], errorsOf(first));
        if (shown(first) !== shown(second)) return { at, real: shown(first), simulated: shown(second) };
      } else if (step.kind === 'listen') {
        simulated.listen(step.node, step.args);
        await talk.listen(step.node, step.args, simulated.arrived(step.node));
      } else await operate(step, talk, simulated);
    }
    const expected = simulated.heard();
    const heard = await talk.heard(expected.map(({ length }) => length));
    // Messages of several members overtake each other.
    const [first, second] = [heard, expected].map(all =>
      all.map(nodes => [...nodes.map(shownReply)].sort().join(' ')).join(' | '),
    );
    return first === second ? undefined : { at: steps.length, real: first ?? '', simulated: second ?? '' };
  } finally {
    await operate({ kind: 'end' }, talk, simulated);
    talk.close();
  }
}

async function operate(
  step: Exclude<ClusterStep, { kind: 'call' | 'listen' }>,
  talk: RealClusterTalk,
  simulated: SimulatedCluster,
): Promise<void> {
  const migration = simulated.operate(step);
  if (migration === undefined) return;
  if (step.kind === 'begin') await talk.begin(migration);
  if (step.kind === 'move') await talk.move(migration, [step.key]);
  if (step.kind === 'end') await talk.end(migration);
}

function errorsOf(nodes: readonly Node[]): readonly Bytes[] {
  return nodes.flatMap(({ mark, text = '' }) => (mark === '-' ? [text.replace(/ \d+ .*:\d+$/, ' …')] : []));
}

function shown(nodes: readonly Node[]): string {
  return nodes.map(shownReply).join(' ');
}

function shownReply(node: Node): string {
  return shownNode(normalised(node, ''));
}

function callOf(step: ClusterStep): { readonly name: Bytes; readonly args: readonly Bytes[] } {
  const args = step.kind === 'call' || step.kind === 'listen' ? step.args : [step.kind];
  return { name: (args[0] ?? '').toLowerCase(), args };
}

function shownStep(step: ClusterStep): string {
  if (step.kind === 'call' || step.kind === 'listen')
    return `member ${step.node}, ${step.kind}: ${step.args.map(text => JSON.stringify(text)).join(' ')}`;
  return JSON.stringify(step);
}
