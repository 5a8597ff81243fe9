import { eventually } from '@msg/testkit';
import { Prng } from '../../model/prng.ts';
import { CHANNELS } from './channels.ts';
import { Follower } from './follower.ts';
import { NodeProcess } from './node-process.ts';
import { Publisher } from './publisher.ts';
import type { Scenario, Stage } from './scenarios.ts';

const WINDOW = 10_000;
/** Far beyond anything that the engine waits for; what takes longer hangs. */
const SETTLED_MS = 90_000;
/** Publications before the fault, and after it. */
const CALM = 600;

export interface Outcome {
  /** What must not be: numbers lost or repeated without a word. */
  readonly faults: readonly string[];
  readonly stored: number;
  readonly failed: number;
  readonly received: number;
  readonly recovered: number;
  readonly unrecovered: number;
  /** Publications stored per second, outage included. */
  readonly rate: number;
  /** The longest time that a publish took to succeed or fail, ms. */
  readonly longestMs: number;
  /** From the end of the fault until everybody had everything, ms. */
  readonly settledMs: number;
  /** By how much the memory of a surviving node grew, bytes at most. */
  readonly growth: number;
}

/** Publishes and follows while the scenario strikes. Rejects when subscribers do not catch up. */
export async function run(scenario: Scenario, seed: number): Promise<Outcome> {
  const random = new Prng(seed);
  const stage = await scenario.stage();
  const theatre = new Theatre(stage);
  try {
    return await theatre.play(scenario, random);
  } finally {
    await theatre.close();
    await stage.stop();
  }
}

class Theatre {
  readonly #stage: Stage;
  readonly #nodes: NodeProcess[] = [];
  readonly #followers: Follower[] = [];
  #publisher: Publisher | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async play({ window = WINDOW }: Scenario, random: Prng): Promise<Outcome> {
    await this.#seat();
    const publisher = await Publisher.start(this.#stage, window, random);
    this.#publisher = publisher;
    await this.#stored(publisher, CALM);
    const memory = this.#nodes.map(node => node.memory);
    await this.#stage.strike(this.#nodes, random);
    const mended = performance.now();
    await this.#stored(publisher, publisher.stored + CALM);
    await this.#caughtUp(new Map(CHANNELS.map(channel => [channel, publisher.count(channel)])), () => false);
    await publisher.finish(SETTLED_MS);
    // Who was told of a loss this late hears no more: the word is all that can be asked for.
    const ends = new Map(CHANNELS.map(channel => [channel, publisher.count(channel)]));
    await this.#caughtUp(ends, (follower, channel) => follower.wasTold(channel));
    const growth = this.#nodes.map((node, index) => node.memory - (memory[index] as number));
    return {
      faults: this.#followers.flatMap(({ faults }) => faults),
      stored: publisher.stored,
      failed: publisher.failed,
      received: this.#sum(follower => follower.received),
      recovered: this.#sum(follower => follower.recovered),
      unrecovered: this.#sum(follower => follower.unrecovered),
      rate: publisher.rate,
      longestMs: publisher.longestMs,
      settledMs: performance.now() - mended,
      growth: Math.max(...growth.filter(bytes => !Number.isNaN(bytes))),
    };
  }

  async close(): Promise<void> {
    for (const follower of this.#followers) follower.close();
    await Promise.all(this.#nodes.map(node => node.kill()));
    await this.#publisher?.close();
  }

  /** Two nodes, and for each a client that begins there and may turn to the other. */
  async #seat(): Promise<void> {
    const { nodes, partitions } = this.#stage;
    const start = (address: string) => NodeProcess.start(address, partitions);
    this.#nodes.push(...(await Promise.all(nodes.map(start))));
    const urls = this.#nodes.map(({ url }) => url);
    this.#followers.push(new Follower(urls), new Follower([...urls].reverse()));
    await Promise.all(this.#followers.map(follower => follower.connect(SETTLED_MS)));
  }

  #stored(publisher: Publisher, count: number): Promise<void> {
    return eventually(`${count} publications are stored`, () => publisher.stored >= count, SETTLED_MS);
  }

  /** Waits until every follower has the publications of every channel up to its count, or is excused. */
  async #caughtUp(
    counts: ReadonlyMap<string, number>,
    excused: (follower: Follower, channel: string) => boolean,
  ): Promise<void> {
    const behind = (): string[] =>
      this.#followers.flatMap((follower, index) =>
        [...counts]
          .filter(([channel, count]) => follower.next(channel) < count && !excused(follower, channel))
          .map(([channel, count]) => `${index}/${channel}: ${follower.next(channel)} of ${count}`),
      );
    const level = (): boolean => behind().length === 0;
    await eventually('every subscriber is at the top', level, SETTLED_MS).catch(error => {
      const faults = this.#followers.flatMap(follower => follower.faults);
      throw new Error([...behind().slice(0, 3), ...faults.slice(0, 3)].join('; '), { cause: error });
    });
  }

  #sum(count: (follower: Follower) => number): number {
    return this.#followers.reduce((sum, follower) => sum + count(follower), 0);
  }
}
