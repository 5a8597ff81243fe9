import { parseArgs } from 'node:util';
import { measureInTurns, type Pair } from './comparison.ts';
import { measureMemory } from './memory.ts';
import { medianOf, printQuantity } from './report.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { type Delivered, servedFanout } from './served-fanout.ts';
import type { Measurement, Publishing } from './servers/questions.ts';
import { SERVERS, Side, withSides } from './side.ts';

/** CPU of the server per measurement. */
const SLICE_MS = 2000;
/** Lets the load empty its sockets, so that no write meets a full one. */
const REST_MS = 4;

/**
 * CPU of the server per delivery against plain socket writes. `--scenario <name>` (repeatable), `--all`,
 * `--pairs <n>`, `--slice <ms of CPU>`; without a choice: the default scenarios, these at `msg serve` too, and memory per
 * connection.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string', multiple: true, default: [] },
      all: { type: 'boolean', default: false },
      pairs: { type: 'string', default: '5' },
      slice: { type: 'string', default: String(SLICE_MS) },
    },
  });
  const { scenario: names, all } = values;
  const existing = SCENARIOS.map(({ name }) => name);
  const unknown = names.find(name => !existing.includes(name));
  if (unknown !== undefined) throw new Error(`no scenario ${unknown}; there are ${existing.join(', ')}`);
  for (const scenario of SCENARIOS) {
    const isChosen = names.length > 0 ? names.includes(scenario.name) : all || scenario.byDefault === true;
    if (isChosen) await measure(scenario, Number(values.pairs), Number(values.slice));
  }
  if (names.length > 0) return;
  for (const scenario of SCENARIOS.filter(({ byDefault }) => byDefault === true))
    await measureServed(scenario, Number(values.pairs), Number(values.slice));
  await measureMemory();
}

/** How a scenario publishes, for so many milliseconds of server CPU. */
export function deliveryPlan(
  { channels, channelsPerTick, perChannel, payload }: Scenario,
  sliceMs: number,
): Publishing {
  return {
    channels,
    channelsPerTick,
    perChannel,
    payload,
    stamped: false,
    cpuMs: sliceMs,
    everyMs: 0,
    restMs: REST_MS,
  };
}

async function measure(scenario: Scenario, pairs: number, sliceMs: number): Promise<void> {
  const { measured, fullBytes } = await measureFanout(scenario, pairs, sliceMs);
  print(scenario, measured);
  if (scenario.payload === 'similar') printSaving(fullBytes, measured);
}

/** Server CPU per delivery, in microseconds. */
export const cpuPerDelivery = ({ cpuUs, deliveries }: Measurement): number => cpuUs / deliveries;

/** A scenario against plain socket writes, in turns, and the bytes of a publication that comes in full. */
export async function measureFanout(scenario: Scenario, pairs: number, sliceMs: number = SLICE_MS) {
  const { subscribers, channels, encoding, payload } = scenario;
  const delta = payload === 'similar';
  const plan = deliveryPlan(scenario, sliceMs);
  return withSides(
    [Side.start(SERVERS.engine, { args: ['--pings=off'] }), Side.start(SERVERS.plainWrites)],
    async (engine, baseline) => {
      await engine.open({ count: subscribers, subscribing: { encoding, channels, delta } });
      await baseline.open({ count: subscribers, subscribing: null });
      // The first publication of a delta subscription comes in full.
      const full = await engine.frameOf(plan);
      const frame = await engine.frameOf(plan);
      await baseline.server.ask({ kind: 'frame', bytes: frame });
      const measured = await measureInTurns(
        pairs,
        () => engine.publish(plan),
        () => baseline.publish(plan),
      );
      return { measured, fullBytes: Buffer.byteLength(full, 'base64') };
    },
  );
}

/** The scenario at a `msg serve` with default settings. */
async function measureServed(scenario: Scenario, pairs: number, sliceMs: number): Promise<void> {
  const { name, subscribers, channels, encoding } = scenario;
  const plan = deliveryPlan(scenario, sliceMs);
  const measured = await withSides(
    [Side.start(SERVERS.engine, { args: ['--pings=off'] }), Side.start(SERVERS.plainWrites)],
    async (engine, baseline) => {
      await engine.open({ count: 1, subscribing: { encoding, channels, delta: false } });
      await baseline.open({ count: subscribers, subscribing: null });
      await baseline.server.ask({ kind: 'frame', bytes: await engine.frameOf(plan) });
      return servedFanout(scenario, { pairs, sliceMs }, () => baseline.publish(plan));
    },
  );
  console.log(`fan-out ${name}, msg serve with default settings, published through the RPC`);
  printQuantity<Delivered>(measured, 'plain writes', {
    name: 'server CPU per delivery, µs',
    of: ({ cpuUs, deliveries }) => cpuUs / deliveries,
    digits: 2,
  });
}

function print({ name, title, wanted }: Scenario, measured: readonly Pair<Measurement>[]): void {
  console.log(`fan-out ${name}: ${title}`);
  printQuantity(measured, 'plain writes', {
    name: 'server CPU per delivery, µs',
    of: cpuPerDelivery,
    digits: 2,
    ...(wanted === undefined ? {} : { wanted: `≤ ${wanted}` }),
  });
}

function printSaving(fullBytes: number, measured: readonly Pair<Measurement>[]): void {
  const bytes = medianOf(measured, ({ engine }) => engine.bytes / engine.deliveries);
  const percent = (100 * (1 - bytes / fullBytes)).toFixed(0);
  console.log(
    `  bytes per delivery: ${bytes.toFixed(0)} instead of ${fullBytes} in full, ${percent} % saved`,
  );
}
