import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient, MsgError, type RpcClient } from '@msg/core';
import { type MsgServer, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';

/** Sinks whose destination takes most letters. */
export const SINKS = ['orders', 'mails'] as const;
/** The sink whose destination takes none. */
export const DEAD = 'dead';

/** A process of the service. */
export interface Node {
  readonly server: MsgServer;
  readonly rpc: RpcClient;
}

/** Processes of one service on a real Redis. */
export class Nodes {
  readonly #store: RedisServer;
  readonly #folder: string;
  readonly #args: readonly string[];
  readonly #running: Node[] = [];

  private constructor(store: RedisServer, folder: string) {
    this.#store = store;
    this.#folder = folder;
    this.#args = ['--redis-addr', store.address, '--config', join(folder, 'msg.yaml'), '--private-sink-urls'];
  }

  static async start(count: number, destination: string): Promise<Nodes> {
    const folder = mkdtempSync(join(tmpdir(), 'msg-siege-'));
    const sinks = [...SINKS, DEAD].map(
      name => `  ${name}: { kind: webhook, url: "${destination}/${name}" }\n`,
    );
    writeFileSync(join(folder, 'msg.yaml'), `sinks:\n${sinks.join('')}sink_retry: { max_attempts: 1 }\n`);
    const nodes = new Nodes(await RedisServer.start(), folder);
    // The first one makes the keys that the others find.
    for (let started = 0; started < count; started++) await nodes.restart(started);
    return nodes;
  }

  get count(): number {
    return this.#running.length;
  }

  at(index: number): Node {
    return this.#running[index] as Node; // the caller counts
  }

  /** Ends a process as a power cut does. */
  async kill(index: number): Promise<void> {
    const { server } = this.at(index);
    server.kill('SIGKILL');
    await server.exited();
  }

  async restart(index: number): Promise<void> {
    const server = await startMsg({ args: this.#args });
    this.#running[index] = {
      server,
      rpc: createRpcClient({ server: server.url, token: server.token, fetch }),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map(({ server }) => server.stop()));
    await this.#store.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Whether a refusal is certain: after any other failure nobody knows whether the call was carried out. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof MsgError &&
    ['MSG_INVALID_ARGUMENT', 'MSG_SINK_DLQ_NOT_FOUND', 'MSG_SINK_UNAVAILABLE'].includes(error.code)
  );
}
