import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MsgServer } from '@msg/testkit';
import { afterAll, beforeAll } from 'vitest';
import { temporaryFolder } from './folders.ts';
import { rpcOf } from './rpc.ts';
import { startServer } from './server.ts';

/** A spawned server with a configuration file of that text. The caller stops it; `folder` is gone after the test by default. */
export async function configuredServer(
  yaml: string,
  env: Readonly<Record<string, string>> = {},
  home?: string,
): Promise<MsgServer & { readonly folder: string; readonly config: string }> {
  const folder = home ?? (await temporaryFolder());
  const config = join(folder, 'msg.yaml');
  await writeFile(config, yaml);
  const server = await startServer({ args: ['--config', config, '--state-dir', join(folder, 'state')], env });
  return { ...server, folder, config };
}

/** The server of a suite, and calls of its RPC with its management token: there once the suite runs. */
export interface SuiteServer {
  server: MsgServer;
  rpc: ReturnType<typeof rpcOf>;
}

/** A spawned server with a configuration file of that text, for all tests of the file or suite in which this is called. */
export function serverOfSuite(yaml: string): SuiteServer {
  const suite = {} as SuiteServer;
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'msg-suite-'));
    suite.server = await configuredServer(yaml, {}, home);
    suite.rpc = rpcOf(suite.server.url, suite.server.token);
  });
  afterAll(async () => {
    await suite.server.stop();
    await rm(home, { recursive: true });
  });
  return suite;
}
