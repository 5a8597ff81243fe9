import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../../../test/support/pages.ts';

/** What is installed, in exact versions. */
const WANTED = new URL('./next/package.json', import.meta.url);
/** What a page in a browser needs; the server's packages are found in the repository. */
const BROWSER_PACKAGES = ['foundation', 'core', 'client', 'react'];

function run(folder: string, program: string, ...args: string[]): void {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

/**
 * An empty application with Next.js, installed from the registry: too large for what everybody installs with this
 * repository. The packages stay for the next run.
 */
export function installNext(name: string): string {
  const folder = join(ROOT, '.tmp', name);
  const wanted = readFileSync(WANTED, 'utf8');
  // Written after the installation: a broken one is made anew.
  const stamp = join(folder, 'installed.json');
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  for (const part of isInstalled ? ['app', 'pages', '.next'] : ['.'])
    rmSync(join(folder, part), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), wanted);
  if (!isInstalled) {
    run(folder, 'npm', 'install', '--prefer-offline', '--no-package-lock', '--no-audit', '--no-fund');
    writeFileSync(stamp, wanted);
  }
  // The root is this folder, not the repository around it; streams of an API route are not held back to be compressed.
  writeFileSync(
    join(folder, 'next.config.mjs'),
    'export default { compress: false, turbopack: { root: import.meta.dirname } };\n',
  );
  for (const part of BROWSER_PACKAGES) {
    const installed = join(folder, 'node_modules/@msg', part);
    rmSync(installed, { recursive: true, force: true });
    for (const file of ['package.json', 'dist'])
      cpSync(join(ROOT, 'packages', part, file), join(installed, file), { recursive: true });
  }
  return folder;
}

/** Builds the application for production. */
export function buildNext(folder: string): void {
  run(folder, process.execPath, 'node_modules/next/dist/bin/next', 'build');
}
