import { createRpcClient } from '@msg/core';
import type { RpcServer } from '../rpc-server.ts';
import { startMsgRpc } from '../servers/msg-rpc.ts';
import type { CoresSetting } from './setting.ts';

/** `msg` whose connections reach its threads by `reusePort`. */
const REUSE_PORT = new URL('../../../packages/server/test/threads/reuse-port-msg.mjs', import.meta.url);
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

  /** Starts it; `reusePort`: connections reach its threads by the kernel; `args` are further ones of `msg serve`. */
  static async start(
    threads: number,
    { serverCpus }: CoresSetting,
    {
      reusePort = false,
      args = [],
    }: { readonly reusePort?: boolean; readonly args?: readonly string[] } = {},
  ): Promise<CoresService> {
    const { server, token } = await startMsgRpc([], {
      args: ['--threads', String(threads), ...args],
      cpus: serverCpus,
      ...(reusePort ? { program: REUSE_PORT.pathname } : {}),
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

  /** Connections of each session thread, as its metrics tell. */
  async connectionsByThread(): Promise<readonly number[]> {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text();
    return Array.from(text.matchAll(/^msg_thread_connections\{thread="\d+"\} (\d+)$/gm), ([, count]) =>
      Number(count),
    );
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
