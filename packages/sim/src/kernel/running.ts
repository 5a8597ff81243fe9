import { type Kernel, SimulatorError } from './kernel.ts';

/** The kernel of the run that this process plays. Replaced globals ask it; they have no other way to know. */
let kernel: Kernel | undefined;

/** @throws SimulatorError between runs */
export function runningKernel(what: string): Kernel {
  if (kernel === undefined) throw new SimulatorError(`${what} while no run is played`);
  return kernel;
}

/** The kernel, if a run is played. */
export function kernelIfRunning(): Kernel | undefined {
  return kernel;
}

/** Plays with this kernel; everything that is replaced belongs to it meanwhile. */
export async function during<T>(next: Kernel, play: () => Promise<T>): Promise<T> {
  kernel = next;
  try {
    return await play();
  } finally {
    kernel = undefined;
  }
}
