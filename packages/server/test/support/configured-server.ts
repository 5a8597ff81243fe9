import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MsgServer } from '@msg/testkit';
import { temporaryFolder } from './folders.ts';
import { startServer } from './server.ts';

/** A spawned server with a configuration file of that text. The caller stops it. */
export async function configuredServer(
  yaml: string,
  env: Readonly<Record<string, string>> = {},
): Promise<MsgServer & { readonly folder: string; readonly config: string }> {
  const folder = await temporaryFolder();
  const config = join(folder, 'msg.yaml');
  await writeFile(config, yaml);
  const server = await startServer({ args: ['--config', config, '--state-dir', join(folder, 'state')], env });
  return { ...server, folder, config };
}
