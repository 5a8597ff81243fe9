import { resolve as absolutePath } from 'node:path';
import type { Command } from 'commander';
import { loadCatalog } from '#src/catalog/index.ts';
import type { DashError } from '#src/errors.ts';
import { engineOf, type Served } from '#src/http/engine.ts';
import { invocationFault } from '#src/http/faults.ts';
import { isLoopback } from '#src/http/origin.ts';
import { HttpServer } from '#src/http/server.ts';
import { requireSafeId } from '#src/store/document-id.ts';
import { usesStore } from './engine-commands.ts';
import { readDocument } from './input.ts';
import { interrupted } from './interrupt.ts';
import { addCommand, type SharedFlags, storeOf } from './shared-flags.ts';
import type { Surroundings } from './surroundings.ts';

interface ServeFlags extends SharedFlags {
  readonly host: string;
  readonly port: string;
  readonly allowHost: readonly string[];
  readonly requireSecrets?: boolean;
}

/** `dashdoc serve`: the HTTP server, until the process is interrupted (dashboard details 15). */
export function addServeCommand(program: Command, surroundings: Surroundings): void {
  addCommand(program, 'serve [target]', 'serve a file, or the documents of a store, over HTTP')
    .option('--schemas <directory>', 'directory of item types')
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <port>', '0 takes any free port', '8080')
    .option('--allow-host <name>', 'a further name of this server, for example that of a proxy', collect, [])
    .option('--require-secrets', 'fail when a secret is not set')
    .action((target: string | undefined, flags: ServeFlags, command: Command) =>
      serve(target, flags, command, surroundings),
    );
}

async function serve(
  target: string | undefined,
  flags: ServeFlags,
  command: Command,
  surroundings: Surroundings,
): Promise<void> {
  const port = requirePort(flags.port);
  const { host } = flags;
  if (host.trim() === '') throw invocationFault('--host takes a name or an address.');
  const allowHosts = flags.allowHost.map(requireHostName);
  const { served, shown } = await servedBy(target, flags, usesStore(command), surroundings);
  const catalog = loadCatalog(flags.schemas === undefined ? {} : { dir: flags.schemas });
  const engine = engineOf(catalog, { requireSecrets: flags.requireSecrets === true });
  const onFailure = (error: DashError, request: string): void =>
    surroundings.stderr(failureText(error, request));
  const server = await HttpServer.listen({ served, engine, host, port, allowHosts, onFailure });
  if (!isLoopback(server.address)) {
    surroundings.stderr(`dash: ${server.address} is not loopback, and whoever reaches it may write\n`);
  }
  const stop = interrupted();
  surroundings.stdout(`dash serving ${shown} on ${server.url}\n`);
  await stop;
  await server.stop();
}

/** What is served, and how the banner names it. */
async function servedBy(
  target: string | undefined,
  flags: ServeFlags,
  inStore: boolean,
  surroundings: Surroundings,
): Promise<{ served: Served; shown: string }> {
  if (inStore) {
    const store = storeOf(flags);
    if (target === undefined) return { served: { store }, shown: `${flags.store} store ${flags.root}` };
    requireSafeId(target);
    return { served: { store, id: target }, shown: target };
  }
  if (target === undefined) throw invocationFault('Name a document file, or a store with --store or --root.');
  const path = absolutePath(target);
  const read = () => readDocument(path, surroundings);
  await read().catch(allowUnusable);
  return { served: { read }, shown: target };
}

/** A file that cannot be read ends the start; one that says nonsense may be repaired while it is served. */
function allowUnusable(error: DashError): void {
  if (error.code !== 'RESOLVE_DOCUMENT_INVALID') throw error;
}

function requirePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw invocationFault('--port takes a number from 1 to 65535, or 0 for any free port.');
}

function requireHostName(name: string): string {
  if (/^(?:[\w.-]+|\[[0-9a-fA-F:.]+\])$/.test(name)) return name;
  throw invocationFault('--allow-host takes a name without scheme and port.');
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** Codes and places only: what a document says stays out of logs. */
function failureText(error: DashError, request: string): string {
  const { stack = '' } = error.cause instanceof Error ? error.cause : {};
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  return [`dash: ${error.code} at ${request}`, ...frames, ''].join('\n');
}
