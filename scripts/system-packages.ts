// What the tests need from Debian: installed when it is missing and we are root, named otherwise. With the argument
// `conformance` what the SDKs of backends are written in: without one of them its row says that it was not run.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Need {
  /** Programs of which one must be on the path. */
  readonly anyOf: readonly string[];
  readonly debian: string;
}

const NEEDS: readonly Need[] = [
  { anyOf: ['redis-server', 'valkey-server'], debian: 'redis-server' },
  { anyOf: ['chromium', 'chromium-browser', 'google-chrome'], debian: 'chromium' },
  { anyOf: ['git'], debian: 'git' },
  { anyOf: ['curl'], debian: 'curl' },
  { anyOf: ['go'], debian: 'golang-go' },
  { anyOf: ['openssl'], debian: 'openssl' },
  { anyOf: ['prlimit'], debian: 'util-linux' },
  { anyOf: ['script'], debian: 'bsdutils' },
];

/** Languages of the transcripts in conformance/src/server-sdks. */
const LANGUAGES: readonly Need[] = [
  { anyOf: ['python3'], debian: 'python3-venv' },
  { anyOf: ['php'], debian: 'php-cli' },
  { anyOf: ['php'], debian: 'php-curl' },
  { anyOf: ['ruby'], debian: 'ruby' },
];

const isOptional = process.argv[2] === 'conformance';
const needs = isOptional ? LANGUAGES : NEEDS;

function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const missing = (): string[] => needs.filter(need => !need.anyOf.some(onPath)).map(need => need.debian);

function run(...command: [string, ...string[]]): boolean {
  const [program, ...args] = command;
  // stdout belongs to whoever runs the tests
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, args, { stdio: ['ignore', 2, 2], env }).status === 0;
}

const wanted = missing();
if (wanted.length > 0) {
  const root = process.getuid?.() === 0;
  const installed =
    root &&
    onPath('apt-get') &&
    run('apt-get', 'update', '-qq') &&
    run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...wanted) &&
    missing().length === 0;
  if (!installed) {
    const command = `apt-get update && apt-get install -y --no-install-recommends ${wanted.join(' ')}`;
    console.error(
      `${isOptional ? 'Some SDKs of backends' : 'The tests'} need ${wanted.join(', ')}. Install with:\n  ${root ? command : `sudo sh -c '${command}'`}`,
    );
    if (!isOptional) process.exit(1);
  }
}
