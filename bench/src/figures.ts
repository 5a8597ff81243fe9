import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { RedisServer } from '@msg/testkit/redis';
import { numericOptions } from './comparison.ts';
import { cpuPerDelivery, measureFanout } from './fanout.ts';
import { SCENARIOS } from './scenarios.ts';
import { SERVERS } from './side.ts';
import { median } from './statistics.ts';
import { clusteredStorm, requireFiles, STORM_DEFAULTS } from './storm.ts';

const FILE = new URL('../figures.json', import.meta.url);
const RELEASED = new URL('../../packages/server/package.json', import.meta.url);
const DEFAULTS = { pairs: 5, storms: 3, clients: STORM_DEFAULTS.clients };

/** What the home page of the documentation claims, as it was measured. */
export interface Figures {
  /** Version of the packages that were measured: a claim of an older one is not shown. */
  readonly version: string;
  /** `2026-11-22` */
  readonly date: string;
  readonly node: string;
  readonly machine: string;
  /** A node is killed; its clients go to another one. */
  readonly storm: {
    readonly clients: number;
    readonly storms: number;
    /** Clients that did not get every publication, over all storms. */
    readonly missing: number;
    /** Median of the storms: until the last client was back. */
    readonly lastMs: number;
  };
  /** Server CPU per delivery over that of plain socket writes. */
  readonly fanout: {
    readonly subscribers: number;
    readonly pairs: number;
    readonly ratio: number;
    readonly lowest: number;
    readonly highest: number;
  };
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

async function measureStorms(clients: number, storms: number): Promise<Figures['storm']> {
  requireFiles(clients);
  const redis = await RedisServer.start();
  try {
    const lasts: number[] = [];
    let missing = 0;
    for (let round = 0; round < storms; round++) {
      const program = { module: SERVERS.clustered, args: [redis.address, `figures-${round}`] };
      const sample = await clusteredStorm(program, { ...STORM_DEFAULTS, clients });
      lasts.push(sample.lastMs);
      missing += clients - sample.complete;
      console.log(
        `storm ${round + 1}: ${sample.complete} of ${clients} clients have everything, the last after ${rounded(sample.lastMs, 0)} ms`,
      );
    }
    return { clients, storms, missing, lastMs: rounded(median(lasts), 0) };
  } finally {
    await redis.stop();
  }
}

async function measureDelivery(pairs: number): Promise<Figures['fanout']> {
  const scenario = SCENARIOS.find(({ name }) => name === 'unbatched');
  if (scenario === undefined) throw new Error('there is no scenario unbatched');
  const { measured } = await measureFanout(scenario, pairs);
  const ratios = measured.map(({ engine, baseline }) => cpuPerDelivery(engine) / cpuPerDelivery(baseline));
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
  console.log(
    `fan-out: ${median(ratios).toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)}) × plain writes`,
  );
  return {
    subscribers: scenario.subscribers,
    pairs: measured.length,
    ratio: rounded(median(ratios), 2),
    lowest: rounded(lowest, 2),
    highest: rounded(highest, 2),
  };
}

/** Measures what the home page of the documentation claims, and writes it into bench/figures.json. */
export async function run(args: string[]): Promise<void> {
  const { pairs, storms, clients } = numericOptions(args, DEFAULTS);
  const { version } = JSON.parse(readFileSync(RELEASED, 'utf8')) as { readonly version: string }; // ours
  const figures: Figures = {
    version,
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    machine: `${availableParallelism()} CPUs, ${cpus()[0]?.model ?? 'unknown processor'}`,
    fanout: await measureDelivery(pairs),
    storm: await measureStorms(clients, storms),
  };
  writeFileSync(FILE, `${JSON.stringify(figures, null, 2)}\n`);
}
