import type { SeededRandom } from '../random.ts';
import type { AttackedRoute } from '../route.ts';

/** The running service that a flood meets. */
export interface Battlefield {
  /** Address of what is flooded. */
  readonly url: string;
  readonly routes: readonly AttackedRoute[];
  readonly random: SeededRandom;
  /** The part for CI: some of the routes stand for all. */
  readonly short: boolean;
  /** Calls the RPC of the service as the operator. */
  call(method: string, request: object): Promise<unknown>;
  /** To be awaited when everything is in place: the memory is measured. */
  inPlace(): Promise<void>;
}

/** Something done by many peers at once. */
export interface FloodKind {
  readonly name: string;
  /** `msg serve`, or the engine in a program of its own, which alone compresses. */
  readonly against: 'service' | 'engine';
  /** Peers of the long form, and of the short one. */
  readonly peers: number;
  readonly fewerPeers: number;
  /** What the memory of the service may grow by, bytes. */
  readonly growthBytes: number;
  /** What the operator does before: it belongs to the service, not to the attack, and its memory is not counted. */
  prepare?(field: Battlefield): Promise<void>;
  /** Floods. Answers what was done, for the report. Everything is closed when it resolves. */
  run(field: Battlefield, peers: number): Promise<string>;
}

export const MIB = 1_048_576;
/** What no flood may exceed. */
export const GROWTH_BYTES = 64 * MIB;
