import { LifecycleTruth } from '../world/standard/lifecycle-truth.ts';
import { META, StreamTruth } from '../world/standard/stream-truth.ts';
import type { RealKernel } from './real-kernel.ts';
import type { TappedWrite } from './replication-tap.ts';

/** On a Redis Cluster the names of a channel's keys hold it in braces. */
export const TAGGED = /\{(?<channel>[^{}]*)\}/;

/** What the streams of real servers got, from what they send to their replicas: the truth of the oracles. */
export class TappedTruth {
  readonly truth: StreamTruth;
  readonly lifecycle = new LifecycleTruth();
  readonly #kernel: RealKernel;
  /** The moment of what is told to the truth. */
  readonly #moment = { nowUs: 0 };

  constructor(kernel: RealKernel) {
    this.#kernel = kernel;
    this.truth = new StreamTruth(this.#moment);
  }

  /** A server wrote something. `isKept`: at the master, and not at one that was replaced. */
  written({ args: [command = '', key = '', ...rest], machineUs }: TappedWrite, isKept = true): Write {
    const write: Write = {
      atUs: Date.now() * 1000,
      database: 0,
      args: [command, key.replace(TAGGED, '$1'), ...rest],
    };
    this.#moment.nowUs = machineUs - this.#kernel.begunUs;
    this.truth.written(write, isKept);
    if (isKept) this.lifecycle.written(write);
    return write;
  }

  /** Something happened to the streams as a whole, now. */
  happened(tell: (truth: StreamTruth) => void): void {
    this.#moment.nowUs = this.#kernel.nowUs;
    tell(this.truth);
  }
}

type Write = Parameters<StreamTruth['written']>[0];

/** Notes the epochs that a server gives its streams, as its writes say. */
export function noteEpochs(
  epochs: Map<string, string>,
  [command = '', key = '', ...fields]: readonly string[],
): void {
  if (command.toUpperCase() === 'FLUSHALL') epochs.clear();
  if (command.toUpperCase() !== 'HSET' || !key.startsWith(META)) return;
  for (let at = 0; at < fields.length; at += 2)
    if (fields[at] === 'e') epochs.set(key.slice(META.length), fields[at + 1] ?? '');
}
