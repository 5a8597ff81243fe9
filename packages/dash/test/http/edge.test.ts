import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import { HttpServer } from '#src/http/server.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { FileStore } from '#src/store/file-store.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { temporaryRoots } from '../store/stores.ts';

const id = 'team-pulse';
const root = temporaryRoots();
const engine = documentEngine(loadCatalog());
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map(stop => stop()));
});

async function serving(options: { requestMs?: number } = {}): Promise<HttpServer> {
  const directory = await root();
  await writeFile(join(directory, `${id}.json`), canonicalBytes(teamPulse()));
  const store = new FileStore({ root: directory });
  const server = await HttpServer.listen({
    served: { store },
    engine,
    host: '127.0.0.1',
    port: 0,
    ...options,
  });
  stops.push(() => server.stop());
  return server;
}

/** Sends bytes and reads until the server ends the connection. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const parts: string[] = [];
  socket.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  socket.write(bytes);
  await once(socket, 'close');
  return parts.join('');
}

describe('a request line with a whole address', () => {
  it('is judged by that address and not by Host', async () => {
    const { port } = await serving();
    const ask = (target: string, host: string) =>
      exchange(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await ask('http://evil.example/api/dashboards', 'localhost')).toMatch(
      /^HTTP\/1\.1 403 [\s\S]*"host": "evil\.example"/,
    );
    expect(await ask(`http://localhost:${port}/api/dashboards`, 'evil.example')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('/api/dashboards', 'localhost')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is compared with the Origin of a post', async () => {
    const { port } = await serving();
    const post = (target: string, origin: string) =>
      exchange(
        port,
        `POST ${target} HTTP/1.1\r\nHost: evil.example\r\nOrigin: ${origin}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      );
    const target = `http://localhost:${port}/api/validate`;
    expect(await post(target, 'http://evil.example')).toMatch(/^HTTP\/1\.1 403 [\s\S]*"origin"/);
    expect(await post(target, `http://localhost:${port}`)).toMatch(/^HTTP\/1\.1 400 [\s\S]*SERVE_INVALID/);
  });
});

it('a request with two Host headers is refused', async () => {
  const { port } = await serving();
  const twice = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  expect(await exchange(port, twice)).toMatch(/^HTTP\/1\.1 400 [\s\S]*SERVE_INVALID/);
});

describe('a request that is refused before its body', () => {
  it.each([
    ['a foreign host', 'POST /api/patch', 'evil.example', 403],
    ['an unknown path', 'POST /api/nothing', 'localhost', 404],
    ['a method that the path lacks', 'PUT /api/patch', 'localhost', 405],
  ])('for %s ends the connection, its rest unread', async (_name, line, host, status) => {
    const { port } = await serving();
    const text = await exchange(
      port,
      `${line} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 4000000\r\n\r\n{`,
    );
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text.toLowerCase()).toContain('\r\nconnection: close\r\n');
  });

  it('keeps the connection when the body is there', async () => {
    const { port } = await serving();
    const refused = 'POST /api/patch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';
    const last = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const text = await exchange(port, refused + last);
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });
});

describe('a request that does not arrive whole in its time', () => {
  it.each([
    ['headers', 'POST /api/patch HTTP/1.1\r\nHost: localhost\r\n'],
    ['a body', 'POST /api/patch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{'],
    ['a chunk', 'POST /api/patch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{'],
  ])('is answered with 408 and cut: %s', async (_name, start) => {
    const { port } = await serving({ requestMs: 200 });
    expect(await exchange(port, start)).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('a body that nests too deep', () => {
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

  it('is refused by its brackets, before anybody parses it', async () => {
    const { port } = await serving();
    const brackets = '['.repeat(1_000_000);
    expect(await exchange(port, post('/api/patch', brackets))).toMatch(
      /^HTTP\/1\.1 422 [\s\S]*PATCH_INVALID/,
    );
    expect(await exchange(port, post(`/api/d/${id}/resolve`, brackets))).toMatch(
      /^HTTP\/1\.1 422 [\s\S]*RESOLVE_DOCUMENT_INVALID/,
    );
  });

  it('may nest as deep as a document', async () => {
    const { port } = await serving();
    const value = `${'['.repeat(253)}${']'.repeat(253)}`;
    const body = `{"id":"${id}","ops":[{"op":"test","path":"/$manifest/title","value":${value}}]}`;
    expect(await exchange(port, post('/api/validate', body))).toMatch(
      /^HTTP\/1\.1 422 [\s\S]*PATCH_APPLY_FAILED/,
    );
  });
});
