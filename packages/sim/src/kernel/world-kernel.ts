import type { Actor } from './actor.ts';
import type { Stream } from './stream.ts';

/** What those who live in a world ask of its kernel: of the simulated one, or of one that follows real time. */
export interface WorldKernel {
  /** Microseconds since the beginning of the run. */
  readonly nowUs: number;
  /** The actor of a name, made at the first call. */
  actor(name: string): Actor;
  /** A random stream of the world itself. */
  stream(purpose: string): Stream;
  /** Lets an actor do something at a moment of the world. */
  at(ms: number, actor: Actor, kind: string, run: () => void): void;
  /** Where an actor reaches the service, as `host:port`; absent: all at one address of the simulated network. */
  serviceFor?(actor: Actor): string;
}
