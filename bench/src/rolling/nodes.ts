import { freePort, MSG_BIN } from '@msg/testkit';
import { RpcServer } from '../rpc-server.ts';

const TOKEN_LINE = /bootstrap mgmt token[^\n]*\n([^\n]+)\n/;
const READY_MS = 60_000;

export interface NodeSettings {
  readonly redisAddress: string;
  readonly drainMs: number;
  readonly rebalanceMs: number;
}

/** Real `msg serve` processes on one Redis, each with a port that it keeps. */
export class RollingNodes {
  readonly ports: readonly number[];
  readonly #settings: NodeSettings;
  readonly #servers: RpcServer[] = [];

  private constructor(ports: readonly number[], settings: NodeSettings) {
    this.ports = ports;
    this.#settings = settings;
  }

  static async start(count: number, settings: NodeSettings): Promise<RollingNodes> {
    const ports: number[] = [];
    while (ports.length < count) ports.push(await freePort());
    const nodes = new RollingNodes(ports, settings);
    try {
      for (const node of ports.keys()) await nodes.start(node);
      return nodes;
    } catch (error) {
      await nodes.stop();
      throw error;
    }
  }

  /** A management token, which every node takes. */
  get token(): string {
    return TOKEN_LINE.exec(this.#at(0).announcement)?.[1] ?? '';
  }

  get urls(): readonly string[] {
    return this.ports.map(port => `http://127.0.0.1:${port}`);
  }

  /** Starts a node that does not run, and waits until it is ready. */
  async start(node: number): Promise<void> {
    const { redisAddress, drainMs, rebalanceMs } = this.#settings;
    const port = this.ports[node];
    this.#servers[node] = await RpcServer.start([
      ...[MSG_BIN, 'serve', '--addr', `127.0.0.1:${port}`, '--redis-addr', redisAddress],
      ...['--drain-window', `${drainMs}ms`, '--rebalance-window', `${rebalanceMs}ms`],
    ]);
    const deadline = performance.now() + READY_MS;
    while (!(await isReady(this.urls[node] as string))) {
      if (performance.now() > deadline) throw new Error(`node ${node} does not get ready`);
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  }

  /** Ends a node, in order or at once. */
  async end(node: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const code = await this.#at(node).stop(signal);
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`node ${node} ended with ${code}`);
  }

  /** CPU of each of these nodes so far, microseconds. */
  cpuUs(nodes: readonly number[]): readonly number[] {
    return nodes.map(node => this.#at(node).cpuUs());
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.stop('SIGKILL')));
  }

  #at(node: number): RpcServer {
    const server = this.#servers[node];
    if (server === undefined) throw new Error(`there is no node ${node}`);
    return server;
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`);
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}
