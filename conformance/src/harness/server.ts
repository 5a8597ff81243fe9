import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { RealtimeNode, WebSocketTransport } from '@msg/engine';
import { HttpApi } from './http-api.ts';
import { permissivePolicy } from './policy.ts';
import { PROFILE, type ProfileName } from './profiles.ts';

/** Where the suites look for their server. */
export const PORT = 8000;
/** `localhost` may mean either. */
const HOSTS = ['127.0.0.1', '::1'];

/** The engine with every transport, open to anybody, with the HTTP calls of the suites. */
export class Harness {
  readonly #node: RealtimeNode;
  readonly #servers: readonly Server[];

  static async start(profile: ProfileName, port = PORT): Promise<Harness> {
    const harness = new Harness(profile);
    await harness.#node.start();
    await Promise.all(harness.#servers.map((server, index) => listen(server, port, HOSTS[index] ?? '')));
    return harness;
  }

  private constructor(name: ProfileName) {
    const profile = PROFILE[name];
    this.#node = new RealtimeNode({ policy: permissivePolicy(profile), onError: console.error });
    const api = new HttpApi(this.#node, profile);
    const websocket = new WebSocketTransport(this.#node, { allowOrigin: () => true });
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (path === '/health') response.writeHead(200).end('{}');
      else if (path.startsWith('/api/')) {
        api.handle(path.slice('/api/'.length), request, response).catch(error => {
          console.error(error);
          response.writeHead(500).end();
        });
      } else response.writeHead(404).end();
    };
    this.#servers = HOSTS.map(() =>
      createServer(answer).on('upgrade', (request, socket, head) =>
        websocket.handleUpgrade(request, socket, head),
      ),
    );
  }

  async stop(): Promise<void> {
    await this.#node.shutdown({ graceMs: 1000 });
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(this.#servers.map(server => new Promise(resolve => server.close(resolve))));
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
