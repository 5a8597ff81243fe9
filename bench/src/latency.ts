import { measureInTurns, numericOptions } from './comparison.ts';
import type { LatencySample } from './load/questions.ts';
import { medianOf, printQuantity } from './report.ts';
import type { Measurement, Publishing } from './servers/questions.ts';
import { SERVERS, Side, withSides } from './side.ts';

const DEFAULTS = { pairs: 5, subscribers: 1000, load: 50, slice: 2000 };
/** Stamped publications as fast as the server gets rid of them, for so much of its CPU. */
export function latencyPlan(cpuMs: number): Publishing {
  return { ...PLAN, cpuMs };
}

const PLAN: Publishing = {
  channels: 1,
  channelsPerTick: 1,
  perChannel: 1,
  payload: 'plain',
  stamped: true,
  cpuMs: 0,
  everyMs: 0,
  restMs: 4,
};

type Sample = LatencySample & { readonly busy: number };

/**
 * Publish-to-receive latency while the engine uses about `--load` percent (50) of its core, against plain
 * writes at the same rate.
 */
export async function run(args: string[]): Promise<void> {
  const { pairs, subscribers, load, slice } = numericOptions(args, DEFAULTS);
  await withSides(
    [Side.start(SERVERS.engine, { args: ['--pings=off'] }), Side.start(SERVERS.plainWrites)],
    async (engine, baseline) => {
      const subscribing = { encoding: 'json', channels: 1, delta: false } as const;
      await engine.open({ count: subscribers, subscribing, stamped: true });
      await baseline.open({ count: subscribers, subscribing: null, stamped: true });
      await baseline.server.ask({ kind: 'frame', bytes: await engine.frameOf(PLAN) });
      const warm = await engine.publish(latencyPlan(slice));
      const everyMs = (warm.cpuUs / (warm.deliveries / subscribers) / 1000) * (100 / load);
      const plan = { ...latencyPlan(slice), everyMs, restMs: 0 };
      await engine.ask({ kind: 'latencies' });
      const measured = await measureInTurns(
        pairs,
        () => latencySample(engine, plan),
        () => latencySample(baseline, plan),
      );
      const busy = medianOf(measured, pair => pair.engine.busy);
      console.log(
        `latency: ${subscribers} subscribers, a 256-byte JSON publication every ${everyMs.toFixed(1)} ms, ` +
          `engine at ${(100 * busy).toFixed(0)} % CPU`,
      );
      for (const quantile of ['p50', 'p99'] as const) {
        printQuantity(measured, 'plain writes', {
          name: `publish to receive, ${quantile}, ms`,
          of: sample => sample[quantile] / 1000,
          digits: 2,
        });
      }
    },
  );
}

/** Publishes as planned; answers what the load saw of it. */
export async function latencySample(side: Side, plan: Publishing): Promise<Sample> {
  const { cpuUs, wallMs, deliveries }: Measurement = await side.publish(plan);
  const latencies = await side.ask<LatencySample>({ kind: 'latencies' });
  if (latencies.count !== deliveries) {
    throw new Error(`${deliveries} deliveries, ${latencies.count} received`);
  }
  return { ...latencies, busy: cpuUs / 1000 / wallMs };
}
