import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { drawnMs, type Fault, networkFaults, pauseFor } from '../faults.ts';

/** What the faults of a run can hit. */
export interface Targets {
  readonly clients: readonly Actor[];
  /** The node of the present life. */
  node(): Actor;
  restartNode(): void;
}

/** Every kind of fault of this world. */
export function faultsOf(kernel: Kernel, targets: Targets): readonly Fault[] {
  const client = (): Actor => kernel.actor('faults').stream('client').pick(targets.clients);
  return [
    ...networkFaults(kernel, client),
    {
      name: 'pause of a client',
      weight: 2,
      happen: () => pauseFor(kernel, client(), drawnMs(kernel, 100, 30_000)),
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
      happen: () => pauseFor(kernel, node(), drawnMs(kernel, 100, 15_000)),
    },
    {
      name: 'clock jump of the node',
      weight: 1,
      happen: () => {
        node().clockOffsetMs += drawnMs(kernel, -3_600_000, 3_600_000);
      },
    },
    { name: 'restart of the node', weight: 1, happen: restartNode },
  ];
}
