import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MsgServer } from '@msg/testkit';
import { temporaryFolder } from './folders.ts';
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
