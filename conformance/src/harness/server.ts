import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import {
  EmulationEndpoint,
  HttpStreamTransport,
  type NodeOptions,
  RealtimeNode,
  SseTransport,
  WebSocketTransport,
} from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis, type RedisStore } from '@msg/redis';
import { HttpApi } from './http-api.ts';
import { permissivePolicy } from './policy.ts';
import { PROFILE, type ProfileName } from './profiles.ts';

/** Where the suites look for their server. */
export const PORT = 8000;
/** `localhost` may mean either. */
export const HOSTS = ['127.0.0.1', '::1'];

export interface HarnessOptions {
  /** Default: the one that the suites look at. 0: a free one of 127.0.0.1 only. */
  readonly port?: number;
  /** Address of a Redis that makes it one node of many. */
  readonly redis?: string;
  /** Those of one thread of several, which share the port. */
  readonly backends?: Partial<NodeOptions>;
}

/** The engine with every transport, open to anybody, with the HTTP calls of the suites. */
export class Harness {
  readonly #node: RealtimeNode;
  readonly #servers: readonly Server[];
  readonly #store: RedisStore | undefined;

  static async start(
    profile: ProfileName,
    { port = PORT, redis, backends }: HarnessOptions = {},
  ): Promise<Harness> {
    const store = redis === undefined ? undefined : await openRedis({ address: redis });
    const parts = backends ?? (store === undefined ? {} : redisBackends([store]));
    const harness = new Harness(profile, { store, parts, hosts: port === 0 ? HOSTS.slice(0, 1) : HOSTS });
    await harness.#node.start();
    const reusePort = backends !== undefined;
    await Promise.all(
      harness.#servers.map((server, index) => listen(server, { port, host: HOSTS[index], reusePort })),
    );
    return harness;
  }

  private constructor(name: ProfileName, { store, parts, hosts }: HarnessParts) {
    this.#store = store;
    const profile = PROFILE[name];
    this.#node = new RealtimeNode({
      policy: permissivePolicy(profile),
      onError: console.error,
      ...parts,
    });
    const api = new HttpApi(this.#node, profile);
    const websocket = new WebSocketTransport(this.#node, { allowOrigin: () => true });
    const anybody = { decideOrigin: () => 'listed' as const };
    const emulated: Readonly<Record<string, Endpoint>> = {
      '/connection/http_stream': new HttpStreamTransport(this.#node, anybody),
      '/connection/sse': new SseTransport(this.#node, anybody),
      '/emulation': new EmulationEndpoint(this.#node, anybody),
    };
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (path === '/health') response.writeHead(200).end('{}');
      else if (path.startsWith('/api/')) {
        api.handle(path.slice('/api/'.length), request, response).catch(error => {
          console.error(error);
          response.writeHead(500).end();
        });
      } else if (emulated[path] !== undefined) void emulated[path].handle(request, response);
      else response.writeHead(404).end();
    };
    this.#servers = hosts.map(() =>
      createServer(answer).on('upgrade', (request, socket, head) =>
        websocket.handleUpgrade(request, socket, head),
      ),
    );
  }

  get port(): number {
    const address = this.#servers[0]?.address() as AddressInfo; // listening on TCP
    return address.port;
  }

  async stop(): Promise<void> {
    await this.#node.shutdown({ graceMs: 1000 });
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(this.#servers.map(server => new Promise(resolve => server.close(resolve))));
    this.#store?.close();
  }
}

interface HarnessParts {
  readonly store: RedisStore | undefined;
  readonly parts: Partial<NodeOptions>;
  readonly hosts: readonly string[];
}

interface Endpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

function listen(server: Server, address: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
}
