import { fileURLToPath } from 'node:url';
import type { AttackedRoute } from '../route.ts';
import { ENGINE_PATHS } from './engine-paths.ts';
import { operatorCall } from './operator-call.ts';
import { Program } from './program.ts';
import { serviceRoutes, websocketRoute } from './service-routes.ts';
import type { OperatedTarget, Target } from './target.ts';

const PROGRAM = fileURLToPath(new URL('./embedded-program.ts', import.meta.url));
const CONNECT = '{"id":1,"connect":{}}';

/** What the program prints when it listens. */
interface Listening {
  readonly application: { readonly url: string; readonly token: string };
  readonly engine: { readonly url: string };
}

function engineRoutes(): readonly AttackedRoute[] {
  const { websocket, httpStream, sse, emulation } = ENGINE_PATHS;
  const stream = { name: `POST ${httpStream}`, kind: 'stream' as const };
  return [
    websocketRoute(websocket),
    { ...stream, request: { method: 'POST', target: httpStream, body: CONNECT } },
    { name: `POST ${sse}`, kind: 'stream', request: { method: 'POST', target: sse, body: CONNECT } },
    {
      name: `GET ${sse}`,
      kind: 'stream',
      request: { method: 'GET', target: `${sse}?cf_connect=${encodeURIComponent(CONNECT)}` },
    },
    {
      name: `POST ${emulation}`,
      kind: 'answer',
      request: { method: 'POST', target: emulation, body: '{"session":"s","node":"n","data":""}' },
    },
  ];
}

/** Two targets in one process: the service mounted with `handler` and `attach`, and the engine's transports alone. */
export async function startEmbedded(): Promise<readonly [application: OperatedTarget, engine: Target]> {
  const program = await Program.start([PROGRAM]);
  const { application, engine } = JSON.parse(program.firstLine) as Listening; // our own line
  const shared = {
    pid: program.pid,
    isRunning: () => program.isRunning(),
    failures: () => program.failures(),
    stop: () => program.stop(),
  };
  const app: AttackedRoute = { name: 'GET /app', kind: 'answer', request: { method: 'GET', target: '/app' } };
  return [
    {
      ...shared,
      name: 'embedded service',
      url: application.url,
      token: application.token,
      call: operatorCall(application.url, application.token),
      healthPath: '/healthz',
      routes: [...(await serviceRoutes(application.token)), app],
    },
    { ...shared, name: 'embedded engine', url: engine.url, healthPath: '/', routes: engineRoutes() },
  ];
}
