import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTP_TIMEOUTS, Msg, type MsgOptions } from '@msg/server';
import type { Pages } from './pages.ts';
import type { Route } from './route.ts';
import { createRoutes } from './routes.ts';

export interface AppOptions extends Pick<MsgOptions, 'stateDir'> {
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What answers everything that is neither msg's nor a route of the app. */
  readonly pages?: (server: Server) => Promise<Pages>;
}

export interface App {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts msg, the routes of the app and its pages on one port. */
export async function startApp({ host = '127.0.0.1', port, pages, ...options }: AppOptions): Promise<App> {
  const server = createServer(HTTP_TIMEOUTS);
  const msg = await Msg.start({ ...options, server, configFile: 'msg.yaml' });
  const routes = await createRoutes(msg);
  const ownPages = await pages?.(server);
  const handle = msg.handler();

  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(`http://localhost${request.url}`);
    const route = routes[`${request.method} ${pathname}`];
    if (route !== undefined) void answer(response, route, searchParams);
    else handle(request, response, ownPages && (() => ownPages.answer(request, response)));
  });

  const stop = async (): Promise<void> => {
    await msg.stop();
    await ownPages?.stop();
    server.close();
    server.closeAllConnections();
  };
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, stop };
}

async function answer(response: ServerResponse, route: Route, query: URLSearchParams): Promise<void> {
  try {
    const value = await route(query);
    if (value === undefined) response.writeHead(400).end();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}
