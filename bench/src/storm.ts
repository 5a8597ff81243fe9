import { execFileSync } from 'node:child_process';
import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns, numericOptions } from './comparison.ts';
import type { Complete, Recovered } from './load/storm-questions.ts';
import { LOAD_CORE, PinnedProcess, SERVER_CORE } from './pinned.ts';
import { printQuantity } from './report.ts';
import type { Address, Cpu, Flowed } from './servers/questions.ts';
import { SERVERS } from './side.ts';
import { nowUs } from './stamp.ts';

export const STORM_DEFAULTS = { pairs: 5, clients: 10_000, channels: 100, 'publish-ms': 10 };
const LOAD = new URL('./load/storm.ts', import.meta.url);
/** Files of a process besides its connections. */
const OTHER_FILES = 200;

interface Sample {
  /** From the kill until the half of the clients, and the last one, were back. */
  readonly medianMs: number;
  readonly lastMs: number;
  /** Of the server they went to, meanwhile. */
  readonly cpuMs: number;
  /** The last reply to a subscribe, base64. */
  readonly reply: string;
  /** Clients that have every publication; 0 where nothing is delivered. */
  readonly complete: number;
}

type Options = Record<keyof typeof STORM_DEFAULTS, number>;

/**
 * A broker with every client is killed; they come back to another one of the same store with the stock client's
 * backoff and recover, while publications flow. Against as many clients that come back to a `ws` server which answers
 * one frame.
 */
export async function run(args: string[]): Promise<void> {
  const options = numericOptions(args, STORM_DEFAULTS);
  requireFiles(options.clients);
  const redis = await RedisServer.start();
  try {
    let rounds = 0;
    let reply = '';
    const measured = await measureInTurns(
      options.pairs,
      async () => {
        const program = { module: SERVERS.clustered, args: [redis.address, `storm-${rounds++}`] };
        const sample = await clusteredStorm(program, options);
        reply = sample.reply;
        return sample;
      },
      () =>
        storm({ module: SERVERS.bareWs, args: [] }, options, {
          isChecked: false,
          before: (doomed, refuge) =>
            Promise.all([doomed, refuge].map(server => server.ask({ kind: 'reply', bytes: reply }))),
          after: async () => 0,
        }),
    );
    console.log(
      `storm: ${options.clients} clients in ${options.channels} channels, ` +
        `one publication every ${options['publish-ms']} ms; all recovered, nothing missing`,
    );
    const times = { 'until the half is back, ms': 'medianMs', 'until all are back, ms': 'lastMs' } as const;
    for (const [name, member] of Object.entries(times))
      printQuantity(measured, 'bare ws', { name, of: sample => sample[member], digits: 0 });
    printQuantity(measured, 'bare ws', {
      name: 'server CPU per client, µs',
      of: ({ cpuMs }) => (cpuMs * 1000) / options.clients,
      digits: 0,
    });
  } finally {
    await redis.stop();
  }
}

/** A storm between two servers that deliver: everything is recovered, nothing is missing. */
export async function clusteredStorm(program: Program, options: Options): Promise<Sample> {
  const { channels } = options;
  return storm(program, options, {
    isChecked: true,
    before: (_doomed, refuge) => refuge.ask({ kind: 'flow', channels, everyMs: options['publish-ms'] }),
    after: async (refuge, load) => {
      const { perChannel } = await refuge.ask<Flowed>({ kind: 'flow', channels, everyMs: 0 });
      const { clients } = await load.ask<Complete>({ kind: 'complete', offset: perChannel });
      return clients;
    },
  });
}

interface Program {
  readonly module: URL;
  readonly args: readonly string[];
}

interface Circumstances {
  /** The servers deliver: whatever is missed must be recovered. */
  readonly isChecked: boolean;
  before(doomed: PinnedProcess, refuge: PinnedProcess): Promise<unknown>;
  /** Checks what the storm left behind; the number of clients that have every publication. */
  after(refuge: PinnedProcess, load: PinnedProcess): Promise<number>;
}

/** One storm between two servers of that kind, which are new, as their load is. */
async function storm(
  { module, args }: Program,
  options: Options,
  { isChecked, before, after }: Circumstances,
) {
  const started: PinnedProcess[] = [];
  const start = async (...what: Parameters<typeof PinnedProcess.start>): Promise<PinnedProcess> => {
    const process = await PinnedProcess.start(...what);
    started.push(process);
    return process;
  };
  try {
    const doomed = await start(module, SERVER_CORE, { args });
    const refuge = await start(module, SERVER_CORE, { args });
    const load = await start(LOAD, LOAD_CORE);
    const [from, to] = [
      await doomed.ask<Address>({ kind: 'address' }),
      await refuge.ask<Address>({ kind: 'address' }),
    ];
    const { clients: count, channels } = options;
    await before(doomed, refuge);
    await load.ask({ kind: 'open', port: from.port, refuge: to.port, count, channels, isChecked });
    const cpuBefore = await refuge.ask<Cpu>({ kind: 'cpu' });
    const killedUs = nowUs();
    await doomed.stop();
    const { medianUs, lastUs, reply } = await load.ask<Recovered>({ kind: 'recovered' });
    const cpuAfter = await refuge.ask<Cpu>({ kind: 'cpu' });
    const complete = await after(refuge, load);
    await load.ask({ kind: 'stop' });
    const sample: Sample = {
      medianMs: (medianUs - killedUs) / 1000,
      lastMs: (lastUs - killedUs) / 1000,
      cpuMs: (cpuAfter.us - cpuBefore.us) / 1000,
      reply,
      complete,
    };
    return sample;
  } finally {
    await Promise.all(started.map(process => process.stop()));
  }
}

/** Ends the bench before it starts when a process may not hold that many files. */
export function requireFiles(clients: number): void {
  const missing = missingFiles(clients);
  if (missing !== undefined) throw new Error(missing);
}

/** Why a process cannot have that many connections; undefined when it can. */
export function missingFiles(connections: number): string | undefined {
  const needed = connections + OTHER_FILES;
  const limit = execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  if (limit === 'unlimited' || Number(limit) >= needed) return undefined;
  return `a process needs ${needed} files and may open ${limit}: run "ulimit -n ${needed}" first`;
}
