import { freePort } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns } from '../comparison.ts';
import type { Recovered } from '../load/storm-questions.ts';
import { PinnedProcess } from '../pinned.ts';
import { printQuantity } from '../report.ts';
import { CHANNEL } from '../servers/msg-rpc.ts';
import { SERVERS } from '../side.ts';
import { nowUs } from '../stamp.ts';
import { clusteredStorm, missingFiles, STORM_DEFAULTS } from '../storm.ts';
import { CoresService } from './service.ts';
import type { CoresSetting } from './setting.ts';

const LOAD = new URL('../load/storm.ts', import.meta.url);
const THREADS = 4;

interface Sample {
  readonly clients: number;
  readonly medianMs: number;
  readonly lastMs: number;
  readonly cpuMs: number;
}

/** One of four threads dies and its clients come back, against as many clients of a node on Redis that is killed. */
export async function measure(setting: CoresSetting): Promise<void> {
  const { connections } = setting;
  const missing = missingFiles(connections);
  if (missing !== undefined) {
    console.log(`death: ${connections} connections not run: ${missing}`);
    return;
  }
  const redis = await RedisServer.start();
  let rounds = 0;
  const clients = Math.round(connections / THREADS);
  try {
    const measured = await measureInTurns<Sample>(
      setting.pairs,
      () => threadDies(setting),
      async () => {
        const program = { module: SERVERS.clustered, args: [redis.address, `death-${rounds++}`] };
        return { ...(await clusteredStorm(program, { ...STORM_DEFAULTS, clients })), clients };
      },
    );
    console.log(
      `death: one of ${THREADS} threads with ${connections} clients ends; all come back and recover`,
    );
    const show = (quantity: Parameters<typeof printQuantity<Sample>>[2]): void =>
      printQuantity(measured, 'node on Redis', quantity, 'thread');
    show({ name: 'clients that come back', of: sample => sample.clients, digits: 0 });
    show({ name: 'until the half is back, ms', of: ({ medianMs }) => medianMs, digits: 0 });
    show({ name: 'until all are back, ms', of: ({ lastMs }) => lastMs, digits: 0 });
    show({
      name: 'CPU of the process per client that comes back, µs',
      of: sample => (sample.cpuMs * 1000) / sample.clients,
      digits: 0,
    });
  } finally {
    await redis.stop();
  }
}

async function threadDies(setting: CoresSetting): Promise<Sample> {
  const faultsPort = await freePort();
  const service = await CoresService.start(THREADS, setting, { faultsPort });
  const load = await PinnedProcess.start(LOAD, setting.loadCpus);
  try {
    const opening = { port: service.port, refuge: service.port, count: setting.connections, channels: 1 };
    await load.ask({ kind: 'open', ...opening, channel: CHANNEL, isChecked: true });
    const clients = (await service.countsByThread('subscriptions'))[0] ?? 0;
    const begun = nowUs();
    const { usage, result } = await service.measure(async () => {
      await fetch(`http://127.0.0.1:${faultsPort}/exit/1`);
      return load.ask<Recovered>({ kind: 'recovered', count: clients });
    });
    await load.ask({ kind: 'stop' });
    return {
      clients,
      medianMs: (result.medianUs - begun) / 1000,
      lastMs: (result.lastUs - begun) / 1000,
      cpuMs: usage.totalUs / 1000,
    };
  } finally {
    await Promise.all([load.stop(), service.stop()]);
  }
}
