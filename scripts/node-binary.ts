// node scripts/node-binary.ts <version>: prints what nodeBinary answers.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The path of that version's binary, installed from the npm registry below `.tmp` when it is not there yet. */
export function nodeBinary(version: string): string {
  const home = resolve(import.meta.dirname, '../.tmp/node', version);
  const binary = join(home, 'node_modules/node/bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(home, { recursive: true });
  const manifest = { private: true, dependencies: { node: version }, allowScripts: { node: true } };
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest));
  const install = ['install', '--prefix', home, '--no-package-lock', '--loglevel=error'];
  const { status, error } = spawnSync('npm', install, { stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`Node ${version} cannot be installed`);
  return binary;
}

if (import.meta.main) {
  const [version] = process.argv.slice(2);
  if (version === undefined) {
    console.error('usage: node scripts/node-binary.ts <version>');
    process.exit(2);
  }
  console.log(nodeBinary(version));
}
