// What the tests need from Debian: installed when it is missing and we are root, named otherwise. With the argument
// `conformance` the languages of backends, for the long lane and conformance: without one of them its cases say that
// they were not run.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Need {
  /** Programs of which one must be on the path, or in one of the folders. */
  readonly anyOf: readonly string[];
  /** Pattern of folders beside the path. */
  readonly folders?: string;
  /** Pattern of files, one of which must be there as well. */
  readonly files?: string;
  readonly debian: string;
  /** Tests run without it: slower, or without the cases of a browser. */
  readonly isOptional?: true;
}

const NEEDS: readonly Need[] = [
  { anyOf: ['redis-server', 'valkey-server'], debian: 'redis-server' },
  { anyOf: ['chromium-headless-shell'], debian: 'chromium-headless-shell', isOptional: true },
  { anyOf: ['chromium', 'chromium-browser', 'google-chrome'], debian: 'chromium' },
  { anyOf: ['firefox-esr', 'firefox'], debian: 'firefox-esr', isOptional: true },
  { anyOf: ['git'], debian: 'git' },
  { anyOf: ['curl'], debian: 'curl' },
  { anyOf: ['go'], debian: 'golang-go' },
  { anyOf: ['prometheus'], debian: 'prometheus' },
  { anyOf: ['initdb'], folders: '/usr/lib/postgresql/*/bin', debian: 'postgresql' },
  { anyOf: ['pgbouncer'], debian: 'pgbouncer' },
  { anyOf: ['openssl'], debian: 'openssl' },
  { anyOf: ['prlimit'], debian: 'util-linux' },
  { anyOf: ['script'], debian: 'bsdutils' },
  { anyOf: ['strace'], debian: 'strace' },
];

/** Languages of the transcripts in conformance/src/server-sdks, and of the snippets of docs/postgres.md. */
const LANGUAGES: readonly Need[] = [
  { anyOf: ['python3'], debian: 'python3-venv' },
  { anyOf: ['php'], debian: 'php-cli' },
  { anyOf: ['php'], files: '/usr/lib/php/*/curl.so', debian: 'php-curl' },
  { anyOf: ['php'], files: '/usr/lib/php/*/pdo_pgsql.so', debian: 'php-pgsql' },
  { anyOf: ['ruby'], debian: 'ruby' },
];

const isOptional = process.argv[2] === 'conformance';
const needs = isOptional ? LANGUAGES : NEEDS;

function onPath(program: string, folders = ''): boolean {
  const beside = folders === '' ? [] : globSync(folders);
  return [...(process.env['PATH'] ?? '').split(delimiter), ...beside].some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const isMissing = ({ anyOf, folders, files }: Need): boolean =>
  !anyOf.some(program => onPath(program, folders)) || (files !== undefined && globSync(files).length === 0);
const isRoot = process.getuid?.() === 0;

function run(...command: [string, ...string[]]): boolean {
  const [program, ...args] = command;
  // stdout is the caller's
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, args, { stdio: ['ignore', 2, 2], env }).status === 0;
}

/** Installs packages; false when that is not possible. */
function install(packages: readonly string[]): boolean {
  return (
    isRoot &&
    onPath('apt-get') &&
    run('apt-get', 'update', '-qq') &&
    run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages)
  );
}

const wanted = needs.filter(need => isMissing(need) && need.isOptional !== true);
const helpful = needs.filter(need => isMissing(need) && need.isOptional === true);
if (helpful.length > 0) install(helpful.map(need => need.debian));
const packages = wanted.filter(isMissing).map(need => need.debian);
if (packages.length > 0 && !(install(packages) && !wanted.some(isMissing))) {
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  console.error(
    `${isOptional ? 'Some SDKs of backends' : 'The tests'} need ${packages.join(', ')}. Install with:\n  ${isRoot ? command : `sudo sh -c '${command}'`}`,
  );
  if (!isOptional) process.exit(1);
}
