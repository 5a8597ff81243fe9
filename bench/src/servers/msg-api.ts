import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient } from '@msg/core';
import { MSG_BIN } from '@msg/testkit';
import { RpcServer } from '../rpc-server.ts';

/** Items of one request that carries many. */
export const ITEMS = 100;

/** Channels that are published to: open, public, with history. */
export const CHANNELS: readonly string[] = Array.from(
  { length: ITEMS },
  (_, index) => `public:bench.api.c${index}`,
);

const KEY = 'key-of-the-bench-of-the-http-api';

export interface ApiServer {
  readonly server: RpcServer;
  readonly key: string;
  stop(): Promise<void>;
}

/** Starts `msg serve` with the HTTP API and one key, access log into a file, and opens the channels. */
export async function startMsgApi(): Promise<ApiServer> {
  const folder = mkdtempSync(join(tmpdir(), 'msg-bench-api-'));
  const config = join(folder, 'msg.yaml');
  const sha256 = createHash('sha256').update(KEY).digest('hex');
  writeFileSync(config, `auth: { api_keys: [{ name: bench, sha256: ${sha256} }] }\napi: { enabled: true }\n`);
  const server = await RpcServer.start([MSG_BIN, 'serve', '--addr', '127.0.0.1:0', '--config', config]);
  const client = createRpcClient({ server: `http://127.0.0.1:${server.port}`, token: KEY, fetch });
  for (const name of CHANNELS) await client.call('OpenPublic', { name, ttl_seconds: 86_400 });
  return {
    server,
    key: KEY,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
