import type { Actor } from '../kernel/actor.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Stream } from '../kernel/stream.ts';
import type { WorldKernel } from '../kernel/world-kernel.ts';
import { type Network, networkOf } from '../net/network.ts';
import { drawSteps, type Step } from '../plan/steps.ts';

/** A kind of fault. */
export interface Fault {
  readonly name: string;
  /** How often it is drawn, compared with the others. */
  readonly weight: number;
  /** @param draw the stream of this one step */
  happen(draw: Stream): void;
}

/** Draws whom a fault hits. */
export type Target = (draw: Stream) => Actor;

/** Frozen like a process at SIGSTOP, and let go after a while. */
export function pauseFor(kernel: Kernel, actor: Actor, forMs: number): void {
  kernel.pause(actor);
  kernel.at(kernel.nowUs / 1000 + forMs, kernel.actor('faults'), 'resume', () => kernel.resume(actor));
}

/** What happens to the latest connection of an actor, which is drawn each time; with a host: to all that it has to that. */
export function networkFaults(kernel: Kernel, target: Target, host?: string): readonly Fault[] {
  const network = host === undefined ? networkOf(kernel) : networkTo(networkOf(kernel), host);
  const stallMs = (draw: Stream): number => draw.between(500, 45_000);
  return [
    { name: 'cut', weight: 6, happen: draw => network.cut(target(draw)) },
    { name: 'stall', weight: 3, happen: draw => network.stall(target(draw), stallMs(draw)) },
    {
      name: 'stall of one direction',
      weight: 2,
      happen: draw => network.stall(target(draw), stallMs(draw), draw.pick(['there', 'back'])),
    },
    { name: 'silence', weight: 2, happen: draw => network.silence(target(draw)) },
  ];
}

function networkTo(network: Network, host: string): Pick<Network, 'cut' | 'stall' | 'silence'> {
  return {
    cut: actor => network.cutBetween(actor, host),
    stall: (actor, forMs, directions) => network.stallBetween(actor, host, forMs, directions),
    silence: actor => network.silenceBetween(actor, host),
  };
}

/** Draws the faults of a run until a moment. */
export function drawnSteps(kernel: Kernel, faults: readonly Fault[], untilMs: number): readonly Step[] {
  return drawSteps(purpose => kernel.stream(purpose), faults, 6000, untilMs);
}

/** Lets the faults happen; returns how often each did. */
export function playSteps(
  kernel: WorldKernel,
  faults: readonly Fault[],
  steps: readonly Step[],
): ReadonlyMap<string, number> {
  const happened = new Map<string, number>();
  const actor = kernel.actor('faults');
  for (const { atMs, name, draw } of steps) {
    const fault = faults.find(candidate => candidate.name === name);
    if (fault === undefined) throw new Error(`no fault of this world is named ${name}`);
    kernel.at(atMs, actor, 'fault', () => {
      happened.set(name, (happened.get(name) ?? 0) + 1);
      fault.happen(kernel.stream(`step ${draw}`));
    });
  }
  return happened;
}
