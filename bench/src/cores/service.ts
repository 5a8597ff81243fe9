import { get } from 'node:http';
import { createRpcClient } from '@msg/core';
import type { RpcServer } from '../rpc-server.ts';
import { startMsgRpc } from '../servers/msg-rpc.ts';
import type { CoresSetting } from './setting.ts';

/** `msg` as it is built. */
const BUILT_MSG = new URL('../servers/built-msg.mjs', import.meta.url).pathname;
/** `msg` whose threads can be told to fail. */
const FAULTY_MSG = new URL('../../../packages/server/test/threads/faulty-msg.mjs', import.meta.url).pathname;
/** Loaded before it, sockets cannot be handed over: connections reach the threads by `reusePort`. */
const WITHOUT_TRANSFER = new URL(
  '../../../packages/server/test/threads/without-transfer.mjs',
  import.meta.url,
);
/** Names that Linux shows for the main thread and for session threads. */
const MAIN = 'node-MainThread';
const SESSION = /^msg-\d+$/;
/** Files of a service without connections are fewer. */
const OTHER_FILES = 150;

/** CPU of a service over some time, microseconds. */
export interface Usage {
  /** All threads of the process, those of V8 among them. */
  readonly totalUs: number;
  readonly mainUs: number;
  /** Of the session thread, or of main where that is more, that used most. */
  readonly busiestUs: number;
}

/** Arguments without pings: a subscriber that reads one together with publications does not see it, and would be cut. */
export const NO_PINGS = ['--ping-interval', '24h'];

/** How a service starts. */
interface ServiceStart {
  /** Connections reach its threads by the kernel. */
  readonly reusePort?: boolean;
  /** Further arguments of `msg serve`. */
  readonly args?: readonly string[];
  /** Its threads can be told to fail at this port. */
  readonly faultsPort?: number;
}

/** One `msg serve`, as it comes, with so many threads on the cores of the service. */
export class CoresService {
  readonly server: RpcServer;
  readonly token: string;
  readonly threads: number;

  private constructor(server: RpcServer, token: string, threads: number) {
    this.server = server;
    this.token = token;
    this.threads = threads;
  }

  /** Starts it. */
  static async start(
    threads: number,
    { serverCpus }: CoresSetting,
    { reusePort = false, faultsPort, args = [] }: ServiceStart = {},
  ): Promise<CoresService> {
    const faulty = { FAULTS_PORT: String(faultsPort), FAULTY_PROGRAM: BUILT_MSG };
    const { server, token } = await startMsgRpc(reusePort ? [`--import=${WITHOUT_TRANSFER}`] : [], {
      args: ['--threads', String(threads), ...args],
      cpus: serverCpus,
      ...(faultsPort === undefined ? { program: BUILT_MSG } : { program: FAULTY_MSG, env: faulty }),
    });
    return new CoresService(server, token, threads);
  }

  get port(): number {
    return this.server.port;
  }

  /** What the service used while `work` ran, and what that answered. */
  async measure<Result>(
    work: () => Promise<Result>,
  ): Promise<{ readonly usage: Usage; readonly result: Result }> {
    const [before, totalBefore] = [this.server.cpuUsByThread(), this.server.cpuUs()];
    const result = await work();
    const [after, total] = [this.server.cpuUsByThread(), this.server.cpuUs()];
    const used = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const mainUs = used(MAIN);
    const sessions = [...after.keys()].filter(name => SESSION.test(name)).map(used);
    return {
      usage: { totalUs: total - totalBefore, mainUs, busiestUs: Math.max(mainUs, ...sessions) },
      result,
    };
  }

  /** Calls a method of its RPC. */
  async openPublic(name: string): Promise<void> {
    const server = `http://127.0.0.1:${this.port}`;
    await createRpcClient({ server, token: this.token, fetch }).call('OpenPublic', {
      name,
      ttl_seconds: 86_400,
    });
  }

  /** Sockets of each session thread, or its subscriptions, as metrics tell. The question itself is a socket. */
  async countsByThread(what: 'connections' | 'subscriptions'): Promise<readonly number[]> {
    const text = await textOf(`http://127.0.0.1:${this.port}/metrics`);
    const series = new RegExp(`^msg_thread_${what}\\{thread="\\d+"\\} (\\d+)$`, 'gm');
    return Array.from(text.matchAll(series), ([, count]) => Number(count));
  }

  /** Resolves when the service has noticed that its connections are gone. */
  async abandoned(): Promise<void> {
    while (this.server.openFiles() > OTHER_FILES + 20 * this.threads)
      await new Promise(resolve => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    await this.server.stop('SIGKILL');
  }
}

/** What an address answers, over a connection that does not stay. */
function textOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { connection: 'close' } }, async response => {
      let body = '';
      for await (const part of response.setEncoding('utf8')) body += part;
      resolve(body);
    }).once('error', reject);
  });
}

/** Runs `use` with services of these numbers of threads, and stops them whatever happens. */
export async function withServices<Result>(
  starting: readonly Promise<CoresService>[],
  use: (services: readonly CoresService[]) => Promise<Result>,
): Promise<Result> {
  const started = await Promise.allSettled(starting);
  const services = started.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    return await use(await Promise.all(starting));
  } finally {
    await Promise.all(services.map(service => service.stop()));
  }
}
