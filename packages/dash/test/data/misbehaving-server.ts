import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { closeServer } from '@msg/testkit';

type Deed = (response: ServerResponse, request: IncomingMessage) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;

/** A hundred megabytes that compress to a hundred kilobytes. */
const BOMB = gzipSync(Buffer.alloc(100 * MIB, ' '));

/** What the server does at each path. */
const DEEDS: Readonly<Record<string, Deed>> = {
  '/rows': response => answer(response, [{ region: 'eu', p95: 184 }]),
  '/drip': response => {
    response.writeHead(200, JSON_TYPE);
    response.write('[');
    const timer = setInterval(() => response.write(' '), 1_000);
    response.on('close', () => clearInterval(timer));
  },
  '/huge': response => {
    response.writeHead(200, JSON_TYPE);
    const chunk = Buffer.alloc(MIB, ' ');
    let left = 100;
    const more = (): void => {
      while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', more);
      response.end('[]');
    };
    more();
  },
  '/announced': response => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': String(100 * MIB) });
    response.write('[');
  },
  '/bomb': response => {
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' });
    response.end(BOMB);
  },
  '/damaged': response => {
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' });
    response.end('no gzip at all');
  },
  '/encoded': response => {
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'zstd' });
    response.end('[]');
  },
  '/html': response => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><p>Sign in');
  },
  '/redirect': (response, { headers }) => {
    response.writeHead(302, { location: `http://${headers.host}/rows` });
    response.end();
  },
  '/reset': response => void response.socket?.resetAndDestroy(),
  '/half': response => {
    response.writeHead(200, JSON_TYPE);
    response.end('[{"region":"eu","p9');
  },
  '/cut': response => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
    response.write('[{"region":');
    response.socket?.end();
  },
  '/columns': response => {
    const members = Array.from({ length: 1_000_000 }, (_, index) => `"${index.toString(36)}":1`);
    response.writeHead(200, JSON_TYPE);
    response.end(`[{${members.join(',')}}]`);
  },
  '/deep': response => {
    response.writeHead(200, JSON_TYPE);
    response.end('['.repeat(4 * MIB) + ']'.repeat(4 * MIB));
  },
  '/containers': response => {
    response.writeHead(200, JSON_TYPE);
    response.end(`[${'[],'.repeat(2_000_000)}[]]`);
  },
  '/error': response => {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`the database is away ${'x'.repeat(1_000)}`);
  },
  '/object': response => answer(response, { rows: [] }),
  '/garbage': response => void response.socket?.end('220 this is no web server\r\n'),
  '/silent': () => {},
};

function answer(response: ServerResponse, value: unknown): void {
  response.writeHead(200, JSON_TYPE);
  response.end(JSON.stringify(value));
}

/** Paths at which the server misbehaves, each in its own way. */
export const MISDEEDS = Object.keys(DEEDS).filter(path => path !== '/rows');

/** An HTTP server that misbehaves in every way, and counts who comes. */
export class MisbehavingServer {
  readonly #server: Server;
  /** Connections since the start. */
  connections = 0;
  /** Requests since the start, as `GET /rows`. */
  readonly requests: string[] = [];
  /** Requests whose answers were not wanted to the end. */
  cancelled = 0;
  /** Header values that came, by name. */
  readonly headers: IncomingMessage['headers'][] = [];
  readonly bodies: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(more: Readonly<Record<string, Deed>> = {}): Promise<MisbehavingServer> {
    const server = createServer();
    const made = new MisbehavingServer(server);
    server.on('connection', () => made.connections++);
    server.on('request', (request, response) => {
      made.requests.push(`${request.method} ${request.url}`);
      made.headers.push(request.headers);
      response.on('close', () => {
        if (!response.writableFinished) made.cancelled++;
      });
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        made.bodies.push(body);
        const { pathname } = new URL(request.url ?? '/', 'http://any');
        (more[pathname] ?? DEEDS[pathname] ?? (DEEDS['/rows'] as Deed))(response, request);
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await closeServer(this.#server);
  }
}
