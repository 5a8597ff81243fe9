import type { Cpu, Memory, ServerQuestion } from './questions.ts';

/** CPU of this process so far, user and system, microseconds. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The resident set of this process (`--expose-gc`) once nothing more can be collected. */
async function settledRss(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10; i++) {
    gc?.();
    await new Promise(resolve => setTimeout(resolve, 100));
    lowest = Math.min(lowest, process.memoryUsage.rss());
  }
  return lowest;
}

/** Answers what every server is asked. `connections` counts those that are open. */
export async function answerAboutServer(
  { kind }: ServerQuestion,
  port: number,
  connections: () => number,
): Promise<object> {
  switch (kind) {
    case 'address':
      return { port };
    case 'cpu':
      return { us: ownCpuUs() } satisfies Cpu;
    case 'memory':
      return { rss: await settledRss() } satisfies Memory;
    case 'abandoned':
      while (connections() > 0) await new Promise(resolve => setTimeout(resolve, 5));
      return {};
  }
}
