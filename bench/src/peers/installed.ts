import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The manifests and programs of peers. */
const SOURCES = fileURLToPath(new URL('../../peers', import.meta.url));
/** Where they are installed: nothing of them is in the workspace. */
const FOLDER = fileURLToPath(new URL('../../../.tmp/peers', import.meta.url));
const INSTALL_MS = 300_000;

/** Installs a peer of bench/peers with npm, as its manifest says. Answers the path of its program. */
export async function npmPeer(name: string): Promise<string> {
  const folder = join(FOLDER, name);
  cpSync(join(SOURCES, name), folder, { recursive: true });
  const args = ['install', '--no-package-lock', '--loglevel=error'];
  await run('npm', args, { cwd: folder, timeout: INSTALL_MS });
  return join(folder, 'server.mjs');
}

/** Builds a program of a Go module. Answers its path. */
export async function goPeer(program: string, path: string, version: string): Promise<string> {
  const folder = join(FOLDER, `${program}-${version}`);
  const built = join(folder, program);
  if (existsSync(built)) return built;
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', GOWORK: 'off', GOTOOLCHAIN: 'local' };
  await run('go', ['install', `${path}@${version}`], { cwd: folder, env, timeout: INSTALL_MS });
  return built;
}
