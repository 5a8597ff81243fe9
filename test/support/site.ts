import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { ROOT } from './pages.ts';

/** Where `npm run docs:build` writes. */
export const SITE = join(ROOT, '.tmp/site');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Builds the documentation; throws what the builder printed when it fails. A dead link is a failure. */
export function buildSite(): void {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'docs:build'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the documentation cannot be built:\n${stdout}${stderr}`);
}

/** Addresses of all pages of the built site, without the one for addresses that do not exist. */
export const siteAddresses = (): string[] =>
  globSync('**/*.html', { cwd: SITE })
    .filter(path => path !== '404.html')
    .map(path => `/${path.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`)
    .toSorted();

function fileOf(pathname: string): string {
  if (pathname.endsWith('/')) return `${pathname}index.html`;
  return extname(pathname) in TYPES ? pathname : `${pathname}.html`;
}

export interface SiteServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Serves the built files as a static host with clean addresses does: 404 for what is not there. */
export async function serveSite(): Promise<SiteServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = fileOf(decodeURIComponent(pathname));
    try {
      const body = readFileSync(join(SITE, file));
      response
        .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
        .end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise(stopped => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}
