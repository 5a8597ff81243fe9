import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';
import { missingFiles } from './storm.ts';

const LOAD = new URL('./load/client.ts', import.meta.url);
const CONCURRENCY = 64;
/** Of one load process: it has files and ports of its own. */
const PER_LOAD = 15_000;
/** The first address of a load process on the loopback interface. */
const FIRST_HOST = 2;
const NO_PINGS = ['--ping-interval', '24h'];

export interface ServedMemory {
  /** Before any connection. */
  readonly emptyBytes: number;
  readonly points: readonly { readonly connections: number; readonly bytes: number }[];
  /** Sizes that this machine does not allow, and why. */
  readonly notRun: readonly (readonly [connections: number, reason: string])[];
}

interface How {
  /** Seconds until memory is read. */
  readonly settleS: number;
  readonly overHttp?: boolean;
  /** Arguments of `msg serve`. */
  readonly args?: readonly string[];
}

/** The resident set of a new `msg serve` at each of these numbers of idle subscribers, the smallest first. */
export async function servedMemory(
  sizes: readonly number[],
  { settleS, overHttp = false, args = [] }: How,
): Promise<ServedMemory> {
  const all = sizes.map(size => [size, missingFiles(size)] as const);
  const notRun = all.flatMap(([size, reason]) => (reason === undefined ? [] : [[size, reason] as const]));
  // A held response takes no pong.
  const { server } = await startMsgRpc([], { args: [...args, ...(overHttp ? NO_PINGS : [])] });
  const loads = new Loads(server.port, overHttp);
  const settled = async (): Promise<number> => {
    await new Promise(resolve => setTimeout(resolve, settleS * 1000));
    return server.residentBytes();
  };
  try {
    const emptyBytes = await settled();
    const points = [];
    for (const [connections, reason] of all) {
      if (reason !== undefined) continue;
      await loads.upTo(connections);
      points.push({ connections, bytes: await settled() });
    }
    return { emptyBytes, points, notRun };
  } finally {
    await loads.stop();
    await server.stop('SIGKILL');
  }
}

/** Load processes that together have so many connections. */
export class Loads {
  readonly #port: number;
  readonly #overHttp: boolean;
  readonly #cpus: number | string;
  readonly #loads: PinnedProcess[] = [];
  #opened = 0;

  constructor(port: number, overHttp: boolean, cpus: number | string = LOAD_CORE) {
    this.#port = port;
    this.#cpus = cpus;
    this.#overHttp = overHttp;
  }

  async upTo(connections: number): Promise<void> {
    while (this.#opened < connections) {
      const index = Math.floor(this.#opened / PER_LOAD);
      this.#loads[index] ??= await PinnedProcess.start(LOAD, this.#cpus);
      const count = Math.min(connections, (index + 1) * PER_LOAD) - this.#opened;
      await this.#loads[index].ask({
        kind: 'open',
        port: this.#port,
        from: `127.0.0.${FIRST_HOST + index}`,
        count,
        concurrency: CONCURRENCY,
        subscribing: {
          encoding: 'json',
          channels: 1,
          channel: CHANNEL,
          delta: false,
          overHttp: this.#overHttp,
        },
        stamped: false,
      });
      this.#opened += count;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loads.map(load => load.stop()));
  }
}
