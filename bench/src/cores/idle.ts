import { spread } from '../statistics.ts';
import { CoresService, withServices } from './service.ts';
import type { CoresSetting } from './setting.ts';

const MIB = 1024 * 1024;
const ROUNDS = 3;
const IDLE_MS = 15_000;
const WANTED_MIB = 40;
const WANTED_MAIN_MIB = 15;
const WANTED_START_MS = 400;

interface Sample {
  readonly residentMib: number;
  /** Percent of one core. */
  readonly idlePercent: number;
  readonly startMs: number;
}

/** A service before its first connection: memory, CPU and time of its start, by the number of threads. */
export async function measure(setting: CoresSetting): Promise<void> {
  const counts = [...new Set([1, 2, ...setting.threads])].sort((a, b) => a - b);
  const samples = new Map<number, Sample[]>(counts.map(count => [count, []]));
  for (let round = 0; round < ROUNDS; round++) {
    // One after the other, so that the time of a start is its own; idle, side by side.
    const services: CoresService[] = [];
    for (const count of counts) services.push(await CoresService.start(count, setting));
    await withServices(
      services.map(async service => service),
      async started => {
        await new Promise(resolve => setTimeout(resolve, setting.settleMs));
        const idle = await Promise.all(
          started.map(service => service.measure(() => new Promise(resolve => setTimeout(resolve, IDLE_MS)))),
        );
        for (const [index, service] of started.entries())
          samples.get(service.threads)?.push({
            residentMib: service.server.residentBytes() / MIB,
            idlePercent: (idle[index]?.usage.totalUs ?? Number.NaN) / 10 / IDLE_MS,
            startMs: service.server.startedMs,
          });
      },
    );
  }
  print(samples, setting);
}

function print(samples: ReadonlyMap<number, readonly Sample[]>, { settleMs }: CoresSetting): void {
  console.log(`idle: msg serve without connections, read after ${settleMs / 1000} s, ${ROUNDS} starts each`);
  const of = (count: number, member: keyof Sample): number[] =>
    (samples.get(count) ?? []).map(sample => sample[member]);
  for (const count of samples.keys())
    console.log(
      `  ${count} threads: ${spread(of(count, 'residentMib'), 1)} MiB resident, ` +
        `${spread(of(count, 'idlePercent'), 2)} % of a core${count === 4 ? ', wanted ≤ 1' : ''}, ` +
        `ready after ${spread(of(count, 'startMs'), 0)} ms`,
    );
  const [single, two] = [of(1, 'residentMib'), of(2, 'residentMib')];
  const last = [...samples.keys()].at(-1) ?? 2;
  const each = of(last, 'residentMib').map((mib, index) => (mib - (two[index] ?? Number.NaN)) / (last - 2));
  if (last > 2) console.log(`  each further thread: ${spread(each, 1)} MiB, wanted ≤ ${WANTED_MIB}`);
  const first = two.map((mib, index) => mib - (single[index] ?? Number.NaN));
  console.log(
    `  two threads beside one: ${spread(first, 1)} MiB more, wanted ≤ ${2 * WANTED_MIB + WANTED_MAIN_MIB}`,
  );
  const late = of(last, 'startMs').map((ms, index) => ms - (of(1, 'startMs')[index] ?? Number.NaN));
  console.log(
    `  ${last} threads start ${spread(late, 0)} ms later than one, wanted ≤ ${WANTED_START_MS} for 4`,
  );
}
