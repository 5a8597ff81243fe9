import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runMsg, type ServeOptions } from '@msg/testkit';
import { freshPrefix, storeOfRun, threadsOfRun, topologyOfRun } from '@msg/testkit/redis';
import type { TestContext } from 'vitest';

/** `msg` on the example of a store backend. */
const EXAMPLE_PROGRAM = join(import.meta.dirname, 'msg-on-example.ts');
/** `msg` whose connections reach its threads by `reusePort`. */
const REUSE_PORT_PROGRAM = join(import.meta.dirname, '../threads/reuse-port-msg.mjs');
const NODE_OPTIONS = '--conditions=msg-source --disable-warning=ExperimentalWarning';
let onExample = false;

/** From now on the servers of this test file run on the example of a store backend, in their state directory. */
export function useExampleBackend(): void {
  onExample = true;
}

/** Servers that were started with one state directory find each other's keys and channels, as restarts do. */
const prefixes = new Map<string, string>();

/**
 * The same server on the store of this run, where there is one and the test has none of its own. The keyring of its
 * state directory is in the store then, and whatever else the directory would have kept.
 */
export async function onStoreOfRun(options: ServeOptions): Promise<ServeOptions> {
  const { env = {} } = options;
  if (onExample) return { ...options, program: EXAMPLE_PROGRAM, env: { ...env, NODE_OPTIONS } };
  const placement = threadsOfRun();
  if (placement !== null) return onStore(onThreads(options, placement === 'threads-reuseport'));
  return onStore(options);
}

async function onStore(options: ServeOptions): Promise<ServeOptions> {
  const { args = [], env = {} } = options;
  const address = storeOfRun();
  if (address === null || args.includes('--redis-addr')) return options;
  const stateDir = args[args.indexOf('--state-dir') + 1 || args.length] ?? env['MSG_STATE_DIR'];
  const known = stateDir === undefined ? undefined : prefixes.get(stateDir);
  const prefix = known ?? freshPrefix();
  const store = ['--redis-addr', address, '--redis-key-prefix', prefix];
  if (stateDir !== undefined && known === undefined) {
    prefixes.set(stateDir, prefix);
    await importKeyring(stateDir, store);
  }
  return { startMs: 60_000, ...options, args: [...args, ...store] };
}

/** The same server with two threads, unless the test says how many. */
function onThreads(options: ServeOptions, byReusePort: boolean): ServeOptions {
  const { args = [], env = {} } = options;
  if (args.includes('--threads')) return options;
  const program = byReusePort ? { program: REUSE_PORT_PROGRAM } : {};
  // Main alone goes by NODE_OPTIONS: what is loaded before the service gets to threads as a flag.
  const { NODE_OPTIONS = '', ...others } = env;
  const preloads = NODE_OPTIONS.match(/--import[= ]\S+/g)?.map(flag => flag.replace(' ', '=')) ?? [];
  const given = preloads.length === 0 ? {} : { env: others, flags: preloads };
  return { ...program, ...options, ...given, args: [...args, '--threads', '2'] };
}

async function importKeyring(stateDir: string, store: readonly string[]): Promise<void> {
  const file = join(stateDir, 'keyring.json');
  if (!existsSync(file)) return;
  const { code, stderr } = await runMsg(['keys', 'import', file, ...store]);
  if (code !== 0) throw new Error(`the keyring did not get into the store: ${stderr}`);
}

/** This run has no store: what servers keep, they keep in memory and in their state directories. */
export const onMemory = topologyOfRun() === null;

/** The manifest's name for where dead letters are. */
export function dlqBackend(): string {
  if (onExample) return 'custom';
  return onMemory ? 'memory' : 'redis';
}

/** Why what is about the file of a keyring stays there. */
export const KEYRING_FILE = 'about files of the state directory, which a server on a store does not have';

/** Leaves a case to the runs on memory, and says why. */
export function memoryOnly(skip: TestContext['skip'], reason: string): void {
  skip(!onMemory || onExample, reason);
}
