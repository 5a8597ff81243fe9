import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { RoundRobinProxy } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import type { ProfileName } from './profiles.ts';
import { HOSTS, PORT } from './server.ts';

const MAIN = new URL('./main.ts', import.meta.url).pathname;
const NODES = 2;

interface Part {
  stop(): Promise<void>;
}

/** Nodes in processes of their own on one Redis, behind proxies that hand each request to the next one. */
export class ClusterHarness {
  readonly #parts: readonly Part[];

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  static async start(profile: ProfileName): Promise<ClusterHarness> {
    const redis = await RedisServer.start();
    const nodes = await Promise.all(
      Array.from({ length: NODES }, () => NodeProcess.start(profile, redis.address)),
    );
    const backends = nodes.map(({ url }) => url);
    const proxies = await Promise.all(HOSTS.map(host => RoundRobinProxy.start(backends, PORT, host)));
    return new ClusterHarness([...proxies, ...nodes, redis]);
  }

  /** Ends everything, what was started last first. */
  async stop(): Promise<void> {
    for (const part of this.#parts) await part.stop();
  }
}

/** One node of the cluster. */
class NodeProcess implements Part {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(profile: ProfileName, redis: string): Promise<NodeProcess> {
    const child = spawn(process.execPath, [...process.execArgv, MAIN, profile, '--redis', redis], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [announced] = (await once(child.stdout, 'data')) as [Buffer];
    const port = /listening (\d+)/.exec(announced.toString())?.[1];
    if (port === undefined) throw new Error(`a node of the harness did not start: ${announced}`);
    return new NodeProcess(child, `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }
}
