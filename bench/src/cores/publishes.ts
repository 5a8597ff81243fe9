import { measureInTurns } from '../comparison.ts';
import { PinnedProcess } from '../pinned.ts';
import type { RepeatingQuestion, RepeatingRun } from '../repeating.ts';
import { printQuantity } from '../report.ts';
import { publishRequest, RPC_LOAD, type RpcTarget } from '../rpc.ts';
import { CoresService, type Usage, withServices } from './service.ts';
import { type CoresSetting, hasCoresFor, severalThreads } from './setting.ts';

/** Requests under way on each thread, and the wanted share of what one thread does for its CPU. */
const IN_FLIGHT = [
  { perThread: 16, wanted: '≥ 0.65' },
  { perThread: 128, wanted: '≥ 0.75' },
] as const;
/** Of the rate of one thread, at four threads with a core each. */
const WANTED_RATE = 2.8;

/** What publishers were answered, and what that took. */
export interface Answered extends RepeatingRun {
  readonly usage: Usage;
}

type Ask = RepeatingQuestion<RpcTarget>;

/** Publish calls without subscribers, for the CPU of the service. */
export async function measure(setting: CoresSetting): Promise<void> {
  for (const threads of severalThreads(setting))
    await withServices(
      [threads, 1].map(count => CoresService.start(count, setting)),
      async ([several, single]) => {
        const loads = [
          await PinnedProcess.start(RPC_LOAD, setting.loadCpus),
          await PinnedProcess.start(RPC_LOAD, setting.loadCpus),
        ] as const;
        try {
          for (const flight of IN_FLIGHT) {
            const measured = await measureInTurns(
              setting.pairs,
              () => publish(several as CoresService, loads[0], flight.perThread, setting.sliceMs),
              () => publish(single as CoresService, loads[1], flight.perThread, setting.sliceMs),
            );
            print(measured, { ...flight, threads }, setting);
          }
        } finally {
          await Promise.all(loads.map(load => load.stop()));
        }
      },
    );
}

/** Publishes over as many connections for each thread; they are new each time, because the service closes idle ones. */
export async function publish(
  service: CoresService,
  load: PinnedProcess,
  perThread: number,
  ms: number,
): Promise<Answered> {
  const request = publishRequest(service.token).toString('base64');
  const connections = perThread * service.threads;
  await load.ask({ kind: 'connect', port: service.port, connections, request } satisfies Ask);
  const { usage, result } = await service.measure(() =>
    load.ask<RepeatingRun>({ kind: 'run', ms } satisfies Ask),
  );
  await load.ask({ kind: 'disconnect' } satisfies Ask);
  return { ...result, usage };
}

function print(
  measured: Parameters<typeof printQuantity<Answered>>[0],
  {
    threads,
    perThread,
    wanted,
  }: { readonly threads: number; readonly perThread: number; readonly wanted: string },
  setting: CoresSetting,
): void {
  console.log(
    `publishes: RPC, 256 bytes, no subscribers, ${perThread} in flight on each of ${threads} threads`,
  );
  const show = (quantity: Parameters<typeof printQuantity<Answered>>[2]): void =>
    printQuantity(measured, '1 thread', quantity, `${threads} threads`);
  show({
    name: 'publishes per second of CPU',
    of: ({ answered, usage }) => (answered / usage.totalUs) * 1e6,
    digits: 0,
    ...(threads === 2 ? { wanted } : {}),
  });
  show({
    name: 'CPU of main per publish, µs',
    of: ({ answered, usage }) => usage.mainUs / answered,
    digits: 1,
  });
  const rate = threads === 4 && perThread === 128 ? { wanted: `≥ ${WANTED_RATE}` } : {};
  if (hasCoresFor(threads, setting))
    show({
      name: 'publishes/s by the clock',
      of: ({ answered, wallMs }) => (answered / wallMs) * 1000,
      digits: 0,
      ...rate,
    });
  else
    show({
      name: 'publishes/s by the CPU of the busiest thread',
      of: ({ answered, usage }) => (answered / usage.busiestUs) * 1e6,
      digits: 0,
    });
}
