import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Stream } from '../../kernel/stream.ts';
import { networkOf } from '../../net/network.ts';
import { SLOT_MOVE } from '../../plan/standard-switches.ts';
import { type Fault, networkFaults, pauseFor, type Target } from '../faults.ts';
import { NODE_HOST } from '../node.ts';
import { failOvers } from './fail-overs.ts';
import type { ServiceNode } from './service-node.ts';
import type { Store } from './store.ts';

/** What the faults of a run can hit. */
export interface Targets {
  readonly clients: readonly Actor[];
  readonly publishers: readonly Actor[];
  readonly nodes: readonly ServiceNode[];
  readonly store: Store;
  /** What a killed store finds on its disk. */
  readonly persistence: 'always' | 'no';
}

/** The fault after which wall clocks of nodes may differ by an hour. */
export const CLOCK_JUMP = 'clock jump of a node';
/** Between the ends of two nodes in a rolling restart. */
const ROLLING_MS = 8000;

/** Every kind of fault of this world. */
export function faultsOf(kernel: Kernel, targets: Targets): readonly Fault[] {
  const anyone: Target = draw => draw.pick(draw.chance(70) ? targets.clients : targets.publishers);
  return [
    ...networkFaults(kernel, anyone, NODE_HOST),
    {
      name: 'pause of a client',
      weight: 2,
      happen: draw => pauseFor(kernel, draw.pick(targets.clients), draw.between(100, 30_000)),
    },
    {
      name: 'cut of every client',
      weight: 1,
      happen: () => {
        const network = networkOf(kernel);
        for (const client of targets.clients) network.cutBetween(client, NODE_HOST);
      },
    },
    ...nodeFaults(kernel, targets.nodes),
    ...roadFaults(kernel, targets),
    ...storeFaults(kernel, targets),
    ...failOvers(targets.store),
    { name: SLOT_MOVE, weight: 3, happen: draw => targets.store.moveSlot(draw) },
  ];
}

function nodeFaults(kernel: Kernel, nodes: readonly ServiceNode[]): readonly Fault[] {
  return [
    {
      name: 'pause of a node',
      weight: 2,
      happen: draw => pauseFor(kernel, draw.pick(nodes).actor, draw.between(100, 15_000)),
    },
    {
      name: CLOCK_JUMP,
      weight: 1,
      happen: draw => {
        draw.pick(nodes).actor.clockOffsetMs += draw.between(-3_600_000, 3_600_000);
      },
    },
    { name: 'kill of a node', weight: 2, happen: draw => draw.pick(nodes).kill(draw.between(10, 20_000)) },
    {
      name: 'rolling restart',
      weight: 1,
      happen: () => {
        const beginMs = kernel.nowUs / 1000;
        for (const [i, node] of nodes.entries())
          kernel.at(beginMs + i * ROLLING_MS, kernel.actor('faults'), 'replace', () => node.replace());
      },
    },
  ];
}

/** What happens between nodes and their store. */
function roadFaults(kernel: Kernel, { nodes, store }: Targets): readonly Fault[] {
  const network = networkOf(kernel);
  const node = (draw: Stream): Actor => draw.pick(nodes).actor;
  const stallMs = (draw: Stream): number => draw.between(200, 30_000);
  return [
    {
      name: 'cut between a node and the store',
      weight: 3,
      happen: draw => network.cutBetween(node(draw), store.pick(draw).place.host),
    },
    {
      name: 'partition between a node and the store',
      weight: 2,
      happen: draw => network.stallBetween(node(draw), store.pick(draw).place.host, stallMs(draw)),
    },
    {
      name: 'one direction between a node and the store',
      weight: 2,
      happen: draw =>
        network.stallBetween(
          node(draw),
          store.pick(draw).place.host,
          stallMs(draw),
          draw.pick(['there', 'back'] as const),
        ),
    },
    {
      name: 'silence between a node and the store',
      weight: 2,
      happen: draw => network.silenceBetween(node(draw), store.pick(draw).place.host),
    },
  ];
}

/** Error lines of a server that takes no writes. */
const REFUSALS = [
  "OOM command not allowed when used memory > 'maxmemory'.",
  "READONLY You can't write against a read only replica.",
  'MISCONF Errors writing to the AOF file: No space left on device',
] as const;

function storeFaults(kernel: Kernel, { store, persistence }: Targets): readonly Fault[] {
  return [
    {
      name: 'slow store',
      weight: 2,
      happen: draw => {
        const server = store.pick(draw);
        server.lateMs = draw.pick([20, 300, 2000, 6000]);
        const endMs = kernel.nowUs / 1000 + draw.between(200, 20_000);
        kernel.at(endMs, kernel.actor('faults'), 'quick store', () => {
          server.lateMs = 0;
        });
      },
    },
    {
      name: 'pause of the store',
      weight: 1,
      happen: draw => pauseFor(kernel, store.pick(draw).actor, draw.between(100, 15_000)),
    },
    {
      name: 'kill of the store',
      weight: 2,
      happen: draw => store.kill(draw, persistence),
    },
    {
      name: 'refusals of the store',
      weight: 1,
      happen: draw => store.pick(draw).refuse(draw.pick(REFUSALS), 'writes', draw.between(100, 15_000)),
    },
    {
      name: 'messages of the store lost',
      weight: 2,
      happen: draw => store.pick(draw).loseMessages(draw.pick([10, 50, 100]), draw.between(50, 20_000)),
    },
    {
      name: 'connections ended by an operator',
      weight: 1,
      happen: draw =>
        store.pick(draw).operate('CLIENT', 'KILL', 'TYPE', draw.pick(['normal', 'pubsub'] as const)),
    },
    { name: 'scripts flushed', weight: 1, happen: draw => store.pick(draw).operate('SCRIPT', 'FLUSH') },
    { name: 'flush of the store', weight: 1, happen: () => store.flush() },
  ];
}
