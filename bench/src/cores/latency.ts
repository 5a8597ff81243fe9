import { PinnedProcess } from '../pinned.ts';
import type { RepeatingQuestion, RepeatingRun } from '../repeating.ts';
import { publishRequest, RPC_LOAD, type RpcTarget } from '../rpc.ts';
import { median, spread } from '../statistics.ts';
import { AcrossThreads } from './across-threads.ts';
import { CoresService, NO_PINGS, withServices } from './service.ts';
import type { CoresSetting } from './setting.ts';

const PER_SECOND = 100;
const WANTED = '≤ 2 ms, and ≤ 1 ms above one thread';
/** Connections of the load beside it, for each thread. */
const CONNECTIONS = 16;
const WARM_MS = 1000;

type Ask = RepeatingQuestion<RpcTarget>;
type Times = { readonly p50: number; readonly p99: number };

/** From publishing on one thread to receiving at a client of another: alone, and beside half the load that one thread could do. */
export async function measure(setting: CoresSetting): Promise<void> {
  const starting = [2, 1].map(threads => CoresService.start(threads, setting, { args: NO_PINGS }));
  await withServices(starting, async ([several, single]) => {
    const services = [several, single] as readonly CoresService[];
    const [across, alone] = await Promise.all(services.map(service => AcrossThreads.open(service, setting)));
    const loads = await Promise.all(services.map(() => PinnedProcess.start(RPC_LOAD, setting.loadCpus)));
    try {
      for (const name of ['else idle', 'half load'] as const) {
        const beside: Times[][] = [[], [], []];
        for (let round = 0; round <= setting.pairs; round++)
          for (const [index, side] of [across, alone].entries()) {
            const service = services[index] as CoresService;
            const stop =
              name === 'half load' ? await halfLoad(service, loads[index] as PinnedProcess, setting) : null;
            const { subscribers } = await (side as AcrossThreads).publish({
              perSecond: PER_SECOND,
              atOnce: 1,
              ms: setting.sliceMs,
            });
            await stop?.();
            const isBeside = (side as AcrossThreads).besidePublisher;
            for (const [at, times] of subscribers.entries())
              if (round > 0) beside[index === 1 ? 2 : isBeside[at] ? 1 : 0]?.push(times);
          }
        print(name, beside);
      }
    } finally {
      await Promise.all([across?.stop(), alone?.stop(), ...loads.map(load => load.stop())]);
    }
  });
}

/** Publishes beside it, into the same channel of nobody, at half the rate of one second without a pause. */
async function halfLoad(service: CoresService, load: PinnedProcess, { sliceMs }: CoresSetting) {
  const request = publishRequest(service.token)
    .toString('latin1')
    .replace('public:bench.rpc', 'public:bench.idl');
  await service.openPublic('public:bench.idl');
  const connections = CONNECTIONS * service.threads;
  const bytes = Buffer.from(request, 'latin1').toString('base64');
  await load.ask({ kind: 'connect', port: service.port, connections, request: bytes } satisfies Ask);
  const full = await load.ask<RepeatingRun>({ kind: 'run', ms: WARM_MS } satisfies Ask);
  const perSecond = (full.answered / full.wallMs) * 500;
  const running = load.ask({ kind: 'run', ms: sliceMs + WARM_MS, perSecond } satisfies Ask);
  return async (): Promise<void> => {
    await running;
    await load.ask({ kind: 'disconnect' } satisfies Ask);
  };
}

function print(name: string, [across = [], same = [], single = []]: readonly Times[][]): void {
  console.log(`latency: publish to receive, ${PER_SECOND} publications/s, ${name}, ms; p99 wanted ${WANTED}`);
  const rows = {
    'to another of 2 threads': across,
    'on the same of 2 threads': same,
    'with 1 thread': single,
  };
  for (const [row, times] of Object.entries(rows))
    console.log(
      `  ${row}: p50 ${spread(
        times.map(({ p50 }) => p50 / 1000),
        2,
      )}, p99 ${spread(
        times.map(({ p99 }) => p99 / 1000),
        2,
      )}`,
    );
  const p99 = (times: readonly Times[]): number => median(times.map(sample => sample.p99)) / 1000;
  console.log(`  p99 to another thread is ${(p99(across) - p99(single)).toFixed(2)} above one thread`);
}
