import type { Actor } from '../kernel/actor.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { networkOf } from '../net/network.ts';

/** A kind of fault; what it needs is drawn from the stream of the faults. */
export interface Fault {
  readonly name: string;
  /** How often it is drawn, compared with the others. */
  readonly weight: number;
  happen(): void;
}

export function drawnMs(kernel: Kernel, least: number, most: number): number {
  return kernel.actor('faults').stream('duration').between(least, most);
}

/** Frozen like a process at SIGSTOP, and let go after a while. */
export function pauseFor(kernel: Kernel, actor: Actor, forMs: number): void {
  kernel.pause(actor);
  kernel.at(kernel.nowUs / 1000 + forMs, kernel.actor('faults'), 'resume', () => kernel.resume(actor));
}

/** What happens to the connections of an actor, which is drawn each time. */
export function networkFaults(kernel: Kernel, drawn: () => Actor): readonly Fault[] {
  const network = networkOf(kernel);
  const stallMs = (): number => drawnMs(kernel, 500, 45_000);
  return [
    { name: 'cut', weight: 6, happen: () => network.cut(drawn()) },
    { name: 'stall', weight: 3, happen: () => network.stall(drawn(), stallMs()) },
    {
      name: 'stall of one direction',
      weight: 2,
      happen: () =>
        network.stall(drawn(), stallMs(), kernel.actor('faults').stream('direction').pick(['there', 'back'])),
    },
    { name: 'silence', weight: 2, happen: () => network.silence(drawn()) },
  ];
}

/** A fault that was drawn; its number is its place among them. */
export interface DrawnFault {
  readonly name: string;
  readonly atMs: number;
}

const plans = new WeakMap<Kernel, ReadonlySet<number>>();
const drawnOf = new WeakMap<Kernel, DrawnFault[]>();

/** Of the faults that the seed draws only these numbers happen. Called before the world is made. */
export function onlyFaults(kernel: Kernel, numbers: readonly number[]): void {
  plans.set(kernel, new Set(numbers));
}

/** The faults that were drawn, whether they happened or not. */
export function drawnFaults(kernel: Kernel): readonly DrawnFault[] {
  return drawnOf.get(kernel) ?? [];
}

/** Draws faults until a moment; returns how often each happened. */
export function drawFaults(kernel: Kernel, faults: readonly Fault[], untilMs: number): Map<string, number> {
  const happened = new Map<string, number>();
  const plan = plans.get(kernel);
  const all: DrawnFault[] = [];
  drawnOf.set(kernel, all);
  const actor = kernel.actor('faults');
  const drawn = faults.flatMap(fault => Array<Fault>(fault.weight).fill(fault));
  const next = (): void => {
    const atMs = kernel.nowUs / 1000 + actor.stream('pause').between(200, 12_000);
    if (atMs > untilMs) return;
    kernel.at(atMs, actor, 'fault', () => {
      const fault = actor.stream('fault').pick(drawn);
      const number = all.push({ name: fault.name, atMs: kernel.nowUs / 1000 }) - 1;
      if (plan === undefined || plan.has(number)) {
        happened.set(fault.name, (happened.get(fault.name) ?? 0) + 1);
        fault.happen();
      }
      next();
    });
  };
  kernel.at(1000, actor, 'faults begin', next);
  return happened;
}
