import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentEngine, FileStore, loadCatalog } from '@msg/dash';
import { Charts, createApp } from '@msg/dash/internal';
import { systemClock } from '@msg/foundation/clock';
import type { AttackedRoute } from '../route.ts';
import { Program } from './program.ts';
import type { Target } from './target.ts';

const BIN = fileURLToPath(new URL('../../../packages/dash/bin/dashdoc.js', import.meta.url));
const ID = 'ops-wallboard';
/** What a path's parameter stands for. */
const PARAMETERS: Readonly<Record<string, string>> = { ':id': ID, ':name': 'page.css' };
const JSON_TYPE = [['Content-Type', 'application/json']] as const;
const CHANGESET = JSON.stringify({ id: ID, ops: [] });

/** Every route of the HTTP server, from its application's table. */
function dashRoutes(root: string): readonly AttackedRoute[] {
  const app = createApp({
    served: { store: new FileStore({ root }) },
    engine: documentEngine(loadCatalog()),
    painter: new Charts(systemClock),
    binding: { address: '127.0.0.1', host: '127.0.0.1', allowHosts: [] },
  });
  const seen = new Set<string>();
  const routes: AttackedRoute[] = [];
  for (const { method, path } of app.routes) {
    const name = `${method} ${path}`;
    if (method === 'ALL' || seen.has(name)) continue;
    seen.add(name);
    const target = path.replace(/:[a-z]+/g, parameter => PARAMETERS[parameter] ?? parameter);
    const body = method === 'POST' ? { body: CHANGESET, headers: JSON_TYPE } : {};
    const kind = path.endsWith('/events') ? 'stream' : 'answer';
    routes.push({ name, kind, request: { method, target, ...body } });
  }
  return [
    ...routes,
    websocketUpgrade('/'),
    websocketUpgrade('/not-a-path'),
    { name: 'GET /not-a-path', kind: 'answer', request: { method: 'GET', target: '/not-a-path' } },
  ];
}

/** An upgrade that this server takes nowhere: it is answered as a plain request, or the connection ends. */
function websocketUpgrade(path: string): AttackedRoute {
  const headers = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ] as const;
  return { name: `UPGRADE ${path}`, kind: 'answer', request: { method: 'GET', target: path, headers } };
}

/** Starts `dashdoc serve` over a store with one document. */
export async function startDash(): Promise<Target> {
  const root = await mkdtemp(join(tmpdir(), 'dash-hostile-'));
  const store = ['--store', 'fs', '--root', root];
  execFileSync(process.execPath, [BIN, 'create', ID, '--template', ID, ...store]);
  const program = await Program.start([BIN, 'serve', '--host', '127.0.0.1', '--port', '0', ...store]);
  const url = / on (http:\S+)$/.exec(program.firstLine)?.[1];
  if (url === undefined) throw new Error(`no address in ${program.firstLine}`);
  return {
    name: 'dashdoc serve',
    url,
    pid: program.pid,
    healthPath: '/healthz',
    routes: dashRoutes(root),
    isRunning: () => program.isRunning(),
    failures: () => program.failures(),
    async stop() {
      await program.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
