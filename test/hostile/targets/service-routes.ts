import { METHODS, type RpcMethodName } from '@msg/core';
import { TWIRP_PREFIX } from '@msg/core/internal';
import { websocket } from '@msg/engine';
import { acquireResources, compose, disposeResources, HttpEndpoints } from '@msg/server/internal';
import type { AttackedRoute, RouteKind } from '../route.ts';

const CONNECT = '{"id":1,"connect":{}}';

/** Paths of the service outside the RPC, from the tables of a service that never runs. */
async function surfacePaths(): Promise<ReadonlyMap<string, readonly string[]>> {
  const opened = await acquireResources({});
  try {
    const service = compose({}, opened);
    const surface = new HttpEndpoints(service, {
      noAuth: false,
      strictRequests: false,
      allowedOrigins: [],
      allowedHosts: undefined,
      trustedProxies: [],
      metricsToken: '',
      clientScript: true,
      basePath: '',
      region: '',
      routes: {},
      recorded: { successes: 1, failures: true },
      openApi: false,
      manifest: () => {
        throw new Error('the surface of the tables answers no requests');
      },
      health: { isAlive: () => false, readiness: () => ({ ready: false, subsystems: {} }) },
    });
    return surface.paths;
  } finally {
    await disposeResources(opened);
  }
}

/** The smallest request of a method: all members present, none filled. */
function emptyCall(method: RpcMethodName): string {
  const { request } = METHODS[method] as { request: { zero(): unknown; write(value: unknown): unknown } };
  return JSON.stringify(request.write(request.zero()));
}

/** What opens a stream, or is asked of a path: query and body by the path's last part. */
function openingOf(path: string, method: string): { kind: RouteKind; target: string; body?: string } {
  if (path.endsWith('/http_stream') && method === 'POST')
    return { kind: 'stream', target: path, body: CONNECT };
  if (path.endsWith('/connection/sse')) {
    const query = `cf_connect=${encodeURIComponent('{"id":1,"connect":{}}')}`;
    return { kind: 'stream', target: `${path}?${query}` };
  }
  if (path === '/sse') return { kind: 'stream', target: `${path}?channel=public:hostile.open` };
  if (method === 'POST')
    return { kind: 'answer', target: path, body: '{"session":"s","node":"n","data":""}' };
  return { kind: 'answer', target: path };
}

/**
 * Every route of the service: the fixed paths and the engine's endpoints from the router, the RPC from its method
 * table, the WebSocket, a path that does not exist. A new row of these tables is attacked without a change here.
 * @param token management bearer of the RPC calls
 */
export async function serviceRoutes(token: string): Promise<readonly AttackedRoute[]> {
  const plain = [...(await surfacePaths())].flatMap(([path, methods]) =>
    methods.map(method => {
      const { kind, target, body } = openingOf(path, method);
      return {
        name: `${method} ${path}`,
        kind,
        request: { method, target, ...(body === undefined ? {} : { body }) },
      };
    }),
  );
  const calls = (Object.keys(METHODS) as RpcMethodName[]).map(method => ({
    name: `POST ${TWIRP_PREFIX}${method}`,
    kind: 'answer' as const,
    request: {
      method: 'POST',
      target: TWIRP_PREFIX + method,
      headers: [
        ['Authorization', `Bearer ${token}`],
        ['Content-Type', 'application/json'],
      ] as const,
      body: emptyCall(method),
    },
  }));
  return [
    ...plain,
    ...calls,
    websocketRoute(websocket.path),
    websocketRoute('/not-a-path'),
    { name: 'GET /not-a-path', kind: 'answer', request: { method: 'GET', target: '/not-a-path' } },
    {
      name: 'POST /not-a-path',
      kind: 'answer',
      request: { method: 'POST', target: '/not-a-path', body: '{"a":1}' },
    },
  ];
}

/** The upgrade at a path, with the headers of a WebSocket client. */
export function websocketRoute(path: string): AttackedRoute {
  const headers = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ['Sec-WebSocket-Extensions', 'permessage-deflate'],
  ] as const;
  return { name: `UPGRADE ${path}`, kind: 'websocket', request: { method: 'GET', target: path, headers } };
}
