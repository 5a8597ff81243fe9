import { measureInTurns } from '../comparison.ts';
import { PinnedProcess } from '../pinned.ts';
import { printQuantity } from '../report.ts';
import { CHANNEL } from '../servers/msg-rpc.ts';
import { CoresService, type Usage, withServices } from './service.ts';
import { type CoresSetting, severalThreads } from './setting.ts';

const LOAD = new URL('../load/client.ts', import.meta.url);
const SUBSCRIBING = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false } as const;
const CONCURRENCY = 64;
/** Connections of one round. */
const MOST = 4000;
/** Unmeasured rounds of each service: every thread compiles for itself what one thread compiles once. */
const WARM_UP_ROUNDS = 4;
const PLACEMENTS = [
  { name: 'hand-over', reusePort: false, wanted: '≤ 1.4' },
  { name: 'reusePort', reusePort: true, wanted: '≤ 1.25' },
] as const;

/** CPU of the process for a connection that connects and subscribes, by both ways of placing it. */
export async function measure(setting: CoresSetting): Promise<void> {
  const count = Math.min(MOST, setting.connections);
  for (const threads of severalThreads(setting))
    for (const { name, reusePort, wanted } of PLACEMENTS) {
      const starting = [CoresService.start(threads, setting, { reusePort }), CoresService.start(1, setting)];
      const measured = await withServices(starting, async ([several, single]) => {
        const loads = [
          await PinnedProcess.start(LOAD, setting.loadCpus),
          await PinnedProcess.start(LOAD, setting.loadCpus),
        ] as const;
        const inSeveral = () => connect(several as CoresService, loads[0], count);
        const inOne = () => connect(single as CoresService, loads[1], count);
        try {
          for (let round = 0; round < WARM_UP_ROUNDS; round++) {
            await inSeveral();
            await inOne();
          }
          return await measureInTurns(setting.pairs, inSeveral, inOne);
        } finally {
          await Promise.all(loads.map(load => load.stop()));
        }
      });
      console.log(`connecting: ${count} connections that subscribe, ${threads} threads, ${name}`);
      const bar = threads === 2 ? { wanted } : {};
      const names = ['1 thread', `${threads} threads`] as const;
      printQuantity<Usage>(
        measured,
        names[0],
        { name: 'CPU per connection, µs', of: ({ totalUs }) => totalUs / count, digits: 0, ...bar },
        names[1],
      );
      printQuantity<Usage>(
        measured,
        names[0],
        { name: 'CPU of main per connection, µs', of: ({ mainUs }) => mainUs / count, digits: 0 },
        names[1],
      );
    }
}

/** Opens the connections, and then drops them, unmeasured. */
async function connect(service: CoresService, load: PinnedProcess, count: number): Promise<Usage> {
  const { usage } = await service.measure(() =>
    load.ask({
      kind: 'open',
      port: service.port,
      count,
      subscribing: SUBSCRIBING,
      concurrency: CONCURRENCY,
      stamped: false,
    }),
  );
  await load.ask({ kind: 'reset' });
  await service.abandoned();
  return usage;
}
