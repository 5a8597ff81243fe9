import { measureInTurns } from '../comparison.ts';
import type { Published } from '../load/peers-questions.ts';
import { PinnedProcess } from '../pinned.ts';
import { printQuantity } from '../report.ts';
import { CoresService, NO_PINGS, type Usage, withServices } from './service.ts';
import { type CoresSetting, coresOf, hasCoresFor, severalThreads } from './setting.ts';

const LOAD = new URL('../load/peers.ts', import.meta.url);
const SUBSCRIBERS = 1000;
/** Of N times what one thread delivers. */
const LINEAR = 0.85;

interface Delivered {
  readonly usage: Usage;
  readonly deliveries: number;
  readonly wallMs: number;
}

/** Subscribers of one service: as many processes as the load has cores, each with a channel of its own. */
class Subscribers {
  readonly #service: CoresService;
  readonly #loads: readonly PinnedProcess[];

  private constructor(service: CoresService, loads: readonly PinnedProcess[]) {
    this.#service = service;
    this.#loads = loads;
  }

  static async open(service: CoresService, { loadCpus }: CoresSetting): Promise<Subscribers> {
    const loads = await Promise.all(coresOf(loadCpus).map(core => PinnedProcess.start(LOAD, core)));
    for (const [index, load] of loads.entries()) {
      const channel = `public:bench.cores.c${index}`;
      await service.openPublic(channel);
      await load.ask({
        kind: 'open',
        dialect: 'msg',
        credential: service.token,
        port: service.port,
        channel,
        count: SUBSCRIBERS,
      });
    }
    return new Subscribers(service, loads);
  }

  /** Publishes for so long, `atOnce` in one write, each time when everybody has what came before. */
  async deliver(atOnce: number, ms: number): Promise<Delivered> {
    const begun = performance.now();
    const { usage, result } = await this.#service.measure(() =>
      Promise.all(this.#loads.map(load => load.ask<Published>({ kind: 'publish', atOnce, ms }))),
    );
    const deliveries = result.reduce((sum, published) => sum + published.deliveries, 0);
    return { usage, deliveries, wallMs: performance.now() - begun };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loads.map(load => load.stop()));
  }
}

/** CPU of the process per delivery, and what N threads deliver beside N times what one does. */
export async function measure(setting: CoresSetting): Promise<void> {
  for (const threads of severalThreads(setting))
    await withServices(
      [threads, 1].map(count => CoresService.start(count, setting, { args: NO_PINGS })),
      async ([several, single]) => {
        const [here, there] = [
          await Subscribers.open(several as CoresService, setting),
          await Subscribers.open(single as CoresService, setting),
        ];
        try {
          for (const atOnce of [1, 10]) await compare({ here, there, threads, atOnce }, setting);
        } finally {
          await Promise.all([here.stop(), there.stop()]);
        }
      },
    );
}

async function compare(
  {
    here,
    there,
    threads,
    atOnce,
  }: {
    readonly here: Subscribers;
    readonly there: Subscribers;
    readonly threads: number;
    readonly atOnce: number;
  },
  setting: CoresSetting,
): Promise<void> {
  const measured = await measureInTurns(
    setting.pairs,
    () => here.deliver(atOnce, setting.sliceMs),
    () => there.deliver(atOnce, setting.sliceMs),
  );
  const how = atOnce === 1 ? 'one at a time' : 'ten per turn';
  console.log(
    `deliveries: ${SUBSCRIBERS} subscribers of one channel on ${threads} threads, 256 bytes, ${how}`,
  );
  const names = [`${threads} threads`, '1 thread'] as const;
  const print = (quantity: Parameters<typeof printQuantity<Delivered>>[2]): void =>
    printQuantity(measured, names[1], quantity, names[0]);
  print({
    name: 'CPU of the process per delivery, µs',
    of: ({ usage, deliveries }) => usage.totalUs / deliveries,
    digits: 2,
    ...(threads === 2 ? { wanted: '≤ 1.1' } : {}),
  });
  // What the busiest thread could do with a core of its own: by its CPU, since the cores here are shared.
  print({
    name: 'deliveries/s by the CPU of the busiest thread',
    of: ({ usage, deliveries }) => (deliveries / usage.busiestUs) * 1e6,
    digits: 0,
    wanted: `≥ ${(LINEAR * threads).toFixed(2)}`,
  });
  if (hasCoresFor(threads, setting))
    print({
      name: 'deliveries/s by the clock',
      of: ({ deliveries, wallMs }) => (deliveries / wallMs) * 1000,
      digits: 0,
      wanted: `≥ ${(LINEAR * threads).toFixed(2)}`,
    });
}
