import { createRpcClient } from '@msg/core';
import { MSG_BIN } from '@msg/testkit';
import { RpcServer, type ServerStart } from '../rpc-server.ts';

/** The program, below the root of a checkout. */
export const MSG_PROGRAM = 'packages/server/bin/msg.js';

/** Channel that is published to: open, public, without subscribers. */
export const CHANNEL = 'public:bench.rpc';

const TOKEN_LINE = /bootstrap mgmt token[^\n]*\n([^\n]+)\n/;

/**
 * Starts `msg serve` as it comes, access log into a file, and opens the channel; answers its bearer too. `flags` are those
 * of Node, `args` the program's own.
 */
export async function startMsgRpc(
  flags: readonly string[],
  {
    program = MSG_BIN,
    args = [],
    ...start
  }: Omit<ServerStart, 'program' | 'address'> & {
    readonly program?: string;
    readonly args?: readonly string[];
  } = {},
): Promise<{ server: RpcServer; token: string }> {
  const server = await RpcServer.start([...flags, program, 'serve', '--addr', '127.0.0.1:0', ...args], start);
  const token = TOKEN_LINE.exec(server.announcement)?.[1] ?? '';
  const client = createRpcClient({ server: `http://127.0.0.1:${server.port}`, token, fetch });
  await client.call('OpenPublic', { name: CHANNEL, ttl_seconds: 86_400 });
  return { server, token };
}
