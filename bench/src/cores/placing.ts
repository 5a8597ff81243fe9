import { PinnedProcess } from '../pinned.ts';
import { CHANNEL } from '../servers/msg-rpc.ts';
import { CoresService } from './service.ts';
import { type CoresSetting, severalThreads } from './setting.ts';

const LOAD = new URL('../load/client.ts', import.meta.url);
const SUBSCRIBING = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false } as const;
const PER_THREAD = 1500;

/** Connections of each thread beside their mean, by both ways of placing them. */
export async function measure(setting: CoresSetting): Promise<void> {
  for (const threads of severalThreads(setting))
    for (const reusePort of [false, true]) {
      const count = Math.min(setting.connections, threads * PER_THREAD);
      const service = await CoresService.start(threads, setting, { reusePort });
      const load = await PinnedProcess.start(LOAD, setting.loadCpus);
      try {
        await load.ask({
          kind: 'open',
          port: service.port,
          count,
          subscribing: SUBSCRIBING,
          concurrency: 64,
          stamped: false,
        });
        print(await service.countsByThread('subscriptions'), reusePort);
      } finally {
        await Promise.all([load.stop(), service.stop()]);
      }
    }
}

function print(byThread: readonly number[], reusePort: boolean): void {
  const mean = byThread.reduce((sum, count) => sum + count, 0) / byThread.length;
  const furthest = Math.max(...byThread.map(count => Math.abs(count - mean) / mean));
  const how = reusePort ? 'reusePort' : 'hand-over, wanted ± 10 %';
  console.log(
    `placing: ${byThread.length} threads, ${how}: ${byThread.join(', ')}, ± ${(100 * furthest).toFixed(1)} % of the mean`,
  );
}
