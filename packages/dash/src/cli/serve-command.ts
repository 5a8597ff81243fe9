import { once } from 'node:events';
import { resolve as absolutePath } from 'node:path';
import { defaultFlag, type Resolved, textFlag, texts, valueFlag } from '@msg/command-line';
import { isLoopbackAddress } from '@msg/foundation/http-guard';
import { defined } from '@msg/foundation/json';
import { display } from '../document/display.ts';
import type { DashError } from '../errors.ts';
import type { ServedDocuments } from '../http/app.ts';
import { readUserHeader } from '../http/attribution.ts';
import { invocationError } from '../http/request-error.ts';
import { HttpServer } from '../http/server.ts';
import { openDocumentEngine } from '../reads/document-engine.ts';
import { requireSafeId } from '../store/document-id.ts';
import { readDocument } from './input.ts';
import type { DashIo } from './io.ts';
import { QUERY_SETTINGS, querySettings } from './query-settings.ts';
import { dashCommand, RESOLVE_SETTINGS, storeOf, usesStore } from './settings.ts';

const SETTINGS = {
  ...RESOLVE_SETTINGS,
  ...QUERY_SETTINGS,
  host: defaultFlag('--host', 'address', '127.0.0.1', 'where to listen'),
  port: defaultFlag('--port', 'port', '8080', '0 takes any free port'),
  allowHost: valueFlag(
    '--allow-host',
    texts,
    [],
    'a further name of this server, for example that of a proxy',
    { placeholder: 'name' },
  ),
  userHeader: textFlag('--user-header', 'name', 'header in which a proxy names the user of a commit'),
  trustProxy: textFlag('--trust-proxy', 'network', 'network of that proxy, such as 10.0.0.0/8'),
} as const;

const serve = dashCommand({
  name: 'serve',
  args: [{ name: 'target', help: 'a file, or with --store or --root an id', optional: true }],
  summary: 'serve a file, or the documents of a store, over HTTP',
  settings: SETTINGS,
  async run({ args: [target], settings, sources, io }) {
    const port = requirePort(settings.port);
    const { host, schemas, requireSecrets } = settings;
    if (host.trim() === '') throw invocationError('--host must be a name or an address; got a blank text.');
    const allowHosts = settings.allowHost.map(requireHostName);
    const userHeader = readUserHeader(settings.userHeader, settings.trustProxy);
    const { served, label } = await servedBy(target, settings, usesStore(sources), io);
    const queries = await querySettings(settings, io);
    const engine = openDocumentEngine(schemas, { requireSecrets });
    const onFailure = (error: DashError, request: string): void => io.err(failureText(error, request));
    const server = await HttpServer.listen({
      ...{ served, engine, queries, host, port, allowHosts, onFailure },
      ...defined({ userHeader }),
    });
    if (!isLoopbackAddress(server.address)) {
      io.err(`dash: ${server.address} is not loopback: every program that reaches it can write\n`);
    }
    const interrupted = once(io.interrupted(), 'abort');
    io.out(`dash serving ${label} on ${server.url}\n`);
    await interrupted;
    await server.stop();
  },
});

/** `dashdoc serve`: the HTTP server, until the process is interrupted (dashboard details 15). */
export const serveCommands = [serve];

/** The served documents, with their name in the banner. */
async function servedBy(
  target: string | undefined,
  settings: Resolved<typeof SETTINGS>,
  inStore: boolean,
  io: DashIo,
): Promise<{ served: ServedDocuments; label: string }> {
  if (inStore) {
    const store = storeOf(settings);
    if (target === undefined) return { served: { store }, label: `${settings.store} store ${settings.root}` };
    requireSafeId(target);
    return { served: { store, id: target }, label: target };
  }
  if (target === undefined)
    throw invocationError('A document file is required, or a store with --store or --root.');
  const path = absolutePath(target);
  const read = () => readDocument(path, io);
  await read().catch(allowUnusable);
  return { served: { read }, label: target };
}

/** Passes for an invalid document, which can be repaired while it is served; an unreadable file fails the start. */
function allowUnusable(error: DashError): void {
  if (error.code !== 'RESOLVE_DOCUMENT_INVALID') throw error;
}

function requirePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw invocationError(
    `--port must be a number from 1 to 65535, or 0 for any free port; got "${display(text)}".`,
  );
}

function requireHostName(name: string): string {
  if (/^(?:[\w.-]+|\[[0-9a-fA-F:.]+\])$/.test(name)) return name;
  throw invocationError(`--allow-host must be a name without scheme and port; got "${display(name)}".`);
}

/** Code and stack frames of a failure, because logs must not contain documents. */
function failureText(error: DashError, request: string): string {
  const { stack = '' } = error.cause instanceof Error ? error.cause : {};
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  return [`dash: ${error.code} at ${request}`, ...frames, ''].join('\n');
}
