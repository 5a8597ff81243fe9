import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns } from '../comparison.ts';
import { PinnedProcess } from '../pinned.ts';
import { printQuantity } from '../report.ts';
import { RPC_LOAD } from '../rpc.ts';
import { clusteredNode } from '../subjects/redis.ts';
import { benchmark, type Call, callOf } from '../subjects/redis-benchmark.ts';
import { type Answered, publish } from './publishes.ts';
import { CoresService, withServices } from './service.ts';
import { type CoresSetting, hasCoresFor, severalThreads } from './setting.ts';

/** Requests under way on each thread. */
const PER_THREAD = [16, 128] as const;
const WANTED = { threads: 4, text: '≥ 0.7' } as const;
/** Script calls of one round of the store alone. */
const CALLS = 40_000;

/** What each side could do for a second of CPU of its one thread that all publications pass. */
interface Rate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** Publish calls of a process on Redis, beside what that Redis takes by itself: all threads reach it through main. */
export async function measure(setting: CoresSetting): Promise<void> {
  const redis = await RedisServer.start();
  try {
    const call = await publishCall(redis.address);
    for (const threads of severalThreads(setting)) await measureThreads(redis, call, threads, setting);
  } finally {
    await redis.stop();
  }
}

async function measureThreads(
  redis: RedisServer,
  call: Call,
  threads: number,
  setting: CoresSetting,
): Promise<void> {
  const args = ['--redis-addr', redis.address];
  await withServices([CoresService.start(threads, setting, { args })], async ([service]) => {
    const load = await PinnedProcess.start(RPC_LOAD, setting.loadCpus);
    try {
      for (const perThread of PER_THREAD) {
        const measured = await measureInTurns(
          setting.pairs,
          async () => rateOf(await publish(service as CoresService, load, perThread, setting.sliceMs)),
          async () => {
            const { perSecond, cpuUs } = await benchmark(redis, call, CALLS);
            return { perSecond, perCpuSecond: 1e6 / cpuUs };
          },
        );
        console.log(
          `clustered: RPC, 256 bytes, ${perThread} in flight on each of ${threads} threads, one Redis`,
        );
        const bar = threads === WANTED.threads ? { wanted: WANTED.text } : {};
        const hasCores = hasCoresFor(threads, setting);
        printQuantity<Rate>(
          measured,
          'redis-benchmark',
          hasCores
            ? { name: 'publications/s by the clock', of: rate => rate.perSecond, digits: 0, ...bar }
            : {
                name: 'publications/s by the CPU of main, and of Redis',
                of: rate => rate.perCpuSecond,
                digits: 0,
                ...bar,
              },
          `${threads} threads`,
        );
      }
    } finally {
      await load.stop();
    }
  });
}

function rateOf({ answered, wallMs, usage }: Answered): Rate {
  return { perSecond: (answered / wallMs) * 1000, perCpuSecond: (answered / usage.mainUs) * 1e6 };
}

/** What a node asks of its store for a publish. */
async function publishCall(address: string): Promise<Call> {
  const { node, store } = await clusteredNode(address);
  try {
    return await callOf(node, store);
  } finally {
    await node.shutdown();
    store.close();
  }
}
