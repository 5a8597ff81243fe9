import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient, type RpcClient } from '@msg/core';
import { freePort, type MsgServer, startMsg } from '@msg/testkit';
import { scrape } from '../../packages/server/test/support/scrape.ts';
import type { Fault } from '../../packages/server/test/support/threads.ts';

const FAULTY_MSG = new URL('../../packages/server/test/threads/faulty-msg.mjs', import.meta.url).pathname;
/** A client that is away for a minute misses 600 publications of a channel. */
const CONFIGURATION = `channels:
  rules:
    - { pattern: "public:faults.**", presence: true, join_leave: true, history_size: 3000, history_ttl: 10m }
`;
const CALL_MS = 5000;

/** `msg serve` whose threads can be told to fail. */
export class FaultyService {
  readonly server: MsgServer;
  readonly threads: number;
  readonly rpc: RpcClient;
  readonly #folder: string;
  readonly #port: number;

  hasEnded = false;

  private constructor(server: MsgServer, threads: number, folder: string, port: number) {
    this.server = server;
    this.threads = threads;
    this.#folder = folder;
    this.#port = port;
    void server.exited().then(() => {
      this.hasEnded = true;
    });
    this.rpc = createRpcClient<AbortSignal>({
      server: server.url,
      token: server.token,
      fetch,
      signal: () => AbortSignal.timeout(CALL_MS),
    });
  }

  static async start(threads: number): Promise<FaultyService> {
    const folder = mkdtempSync(join(tmpdir(), 'msg-thread-faults-'));
    const config = join(folder, 'msg.yaml');
    writeFileSync(config, CONFIGURATION);
    const port = await freePort();
    const server = await startMsg({
      program: FAULTY_MSG,
      args: ['--threads', String(threads), '--access-log', 'off', '--config', config],
      env: { FAULTS_PORT: String(port) },
    });
    return new FaultyService(server, threads, folder, port);
  }

  async fail(thread: number, fault: Fault): Promise<void> {
    await fetch(`http://127.0.0.1:${this.#port}/${fault}/${thread}`);
  }

  /** How many threads have ended. */
  ends(): number {
    return this.server.output().stderr.split('"a thread has ended').length - 1;
  }

  /** True when every thread serves. */
  async isWhole(): Promise<boolean> {
    const seen = await scrape(this.server.url).catch(() => undefined);
    return seen !== undefined && seen.value('msg_thread_up') === this.threads;
  }

  /** The thread with the most connections: a fault of it is felt by most clients. */
  async busiestThread(): Promise<number> {
    const seen = await scrape(this.server.url);
    const connectionsOf = (thread: number): number =>
      seen.value('msg_thread_connections', { thread: String(thread) });
    const numbers = Array.from({ length: this.threads }, (_, index) => index + 1);
    return numbers.reduce((most, next) => (connectionsOf(next) > connectionsOf(most) ? next : most));
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.#folder, { recursive: true });
  }
}
