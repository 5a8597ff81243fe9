import { ownCpuUs } from './own-usage.ts';
import type { Publishing } from './questions.ts';

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/** Publishes as planned, `publishTick` being told the first channel to serve; answers what it took. */
export async function publishLoop(
  plan: Publishing,
  publishTick: (firstChannel: number) => void,
): Promise<{ cpuUs: number; wallMs: number }> {
  const ticksPerRound = plan.channels / plan.channelsPerTick;
  const cpuBefore = ownCpuUs();
  const start = performance.now();
  const cpuUs = (): number => ownCpuUs() - cpuBefore;
  let next = start;
  for (let tick = 0; tick === 0 || tick % ticksPerRound > 0 || cpuUs() < plan.cpuMs * 1000; tick++) {
    publishTick((tick % ticksPerRound) * plan.channelsPerTick);
    next = Math.max(next + plan.everyMs, performance.now() + plan.restMs);
    await sleep(Math.max(0, next - performance.now()));
  }
  return { cpuUs: cpuUs(), wallMs: performance.now() - start };
}
