import type { MsgServer, ServeOptions } from '@msg/testkit';
import { rpcOf } from './rpc.ts';
import { startServer } from './server.ts';

/** One of several servers that share a store. */
export interface ClusterNode extends MsgServer {
  readonly rpc: ReturnType<typeof rpcOf>;
}

/** Starts a server on a shared store. Options of the caller come after the address. */
export async function startNode(
  address: string,
  prefix: string,
  options: ServeOptions = {},
): Promise<ClusterNode> {
  const args = ['--redis-addr', address, '--redis-key-prefix', prefix, ...(options.args ?? [])];
  const server = await startServer({ startMs: 60_000, ...options, args });
  return { ...server, rpc: rpcOf(server.url, server.token) };
}

/** Starts that many servers on one store. */
export function startNodes(
  count: number,
  address: string,
  prefix: string,
  options: ServeOptions = {},
): Promise<ClusterNode[]> {
  return Promise.all(Array.from({ length: count }, () => startNode(address, prefix, options)));
}

/** What `/readyz` says. */
export async function readiness(url: string): Promise<{
  readonly status: number;
  readonly body: {
    readonly ready: boolean;
    readonly subsystems: Record<string, { ok: boolean; detail?: string }>;
  };
}> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: (await response.json()) as never }; // as documented
}
