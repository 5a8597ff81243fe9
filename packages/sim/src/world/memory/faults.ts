import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { type Fault, networkFaults, pauseFor, type Target } from '../faults.ts';
import { NODE_HOST } from '../node.ts';

/** What the faults of a run can hit. */
export interface Targets {
  readonly clients: readonly Actor[];
  /** The node of the present life. */
  node(): Actor;
  restartNode(afterMs: number): void;
}

/** Every kind of fault of this world but those of the road. */
export function faultsOf(kernel: Kernel, targets: Targets): readonly Fault[] {
  const client: Target = draw => draw.pick(targets.clients);
  return [
    ...networkFaults(kernel, client, NODE_HOST),
    {
      name: 'pause of a client',
      weight: 2,
      happen: draw => pauseFor(kernel, client(draw), draw.between(100, 30_000)),
    },
    ...nodeFaults(kernel, targets),
  ];
}

/** What happens to the service. */
export function nodeFaults(
  kernel: Kernel,
  { node, restartNode }: Pick<Targets, 'node' | 'restartNode'>,
): readonly Fault[] {
  return [
    {
      name: 'pause of the node',
      weight: 1,
      happen: draw => pauseFor(kernel, node(), draw.between(100, 15_000)),
    },
    {
      name: 'clock jump of the node',
      weight: 1,
      happen: draw => {
        node().clockOffsetMs += draw.between(-3_600_000, 3_600_000);
      },
    },
    { name: 'restart of the node', weight: 1, happen: draw => restartNode(draw.between(10, 20_000)) },
  ];
}
