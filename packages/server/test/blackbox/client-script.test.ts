import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Msg, type MsgOptions } from '#src/index.ts';
import { startServer } from '../support/server.ts';

const LIMIT_BYTES = 31_000;
const VERSION = '1.2.3';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Running {
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
  stop(): Promise<void>;
}

async function run(options: MsgOptions): Promise<Running> {
  const msg = await Msg.create(options);
  const end = new AbortController();
  const running = msg.run(end.signal);
  const server = createServer(msg.handler());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address
  return {
    get: (path, headers = {}, method = 'GET') =>
      new Promise((resolve, reject) => {
        const call = request({ host: '127.0.0.1', port, path, headers, method }, async response => {
          const pieces: Buffer[] = [];
          for await (const piece of response) pieces.push(piece as Buffer);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
          });
        });
        call.on('error', reject).end();
      }),
    async stop() {
      end.abort();
      server.closeAllConnections();
      await Promise.all([running, new Promise(resolve => server.close(resolve))]);
    },
  };
}

let service: Running;
beforeAll(async () => {
  service = await run({ version: VERSION, allowedOrigins: ['https://app.example.com'] });
});
afterAll(() => service.stop());

describe.each(['/msg.js', '/msg.mjs'])('GET %s', path => {
  it('is a script, ready in each coding, and at most 31 kB in gzip', async () => {
    const plain = await service.get(path);
    expect(plain).toMatchObject({ status: 200 });
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const gzip = await service.get(path, { 'accept-encoding': 'gzip' });
    const brotli = await service.get(path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect([gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', 'br']);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    for (const { headers, body } of [plain, gzip, brotli])
      expect(headers['content-length']).toBe(String(body.length));
    console.log(`${path}: ${gzip.body.length} bytes in gzip, ${brotli.body.length} in brotli`);
    expect(gzip.body.length).toBeLessThanOrEqual(LIMIT_BYTES);
    expect(brotli.body.length).toBeLessThan(gzip.body.length);
    expect(/["']node:|sourceMappingURL/.test(String(plain.body)), 'holds nothing of Node.js').toBe(false);
  });

  it('is not sent again to those who have it', async () => {
    const codings = ['identity', 'gzip', 'br'];
    const tags: (string | undefined)[] = [];
    for (const coding of codings) {
      const { headers } = await service.get(path, { 'accept-encoding': coding });
      const again = await service.get(path, {
        'accept-encoding': coding,
        'if-none-match': `"another", W/${headers.etag}`,
      });
      expect(again).toMatchObject({ status: 304, headers: { etag: headers.etag } });
      expect(again.body).toHaveLength(0);
      tags.push(headers.etag);
    }
    expect(new Set(tags)).toHaveLength(3);
    expect(await service.get(path, { 'if-none-match': '"another"' })).toMatchObject({ status: 200 });
  });

  it('is kept for a year under its version, and under no other', async () => {
    const cached = async (query: string) => (await service.get(path + query)).headers['cache-control'];
    expect(await cached(`?v=${VERSION}`)).toBe('public, max-age=31536000, immutable');
    for (const query of ['', '?', '?v=', '?v=1.2.4', '?w=1.2.3'])
      expect(await cached(query), query).toBe('no-cache');
  });

  it('answers HEAD with the headers alone, and other methods with 405', async () => {
    const [get, head] = [await service.get(path), await service.get(path, {}, 'HEAD')];
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(get.body.length) } });
    expect(head.body).toHaveLength(0);
    expect(await service.get(path, {}, 'POST')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });

  it('is for pages of allowed origins', async () => {
    const listed = await service.get(path, { origin: 'https://app.example.com' });
    expect(listed.headers['access-control-allow-origin']).toBe('https://app.example.com');
    expect(listed.headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect((await service.get(path, { origin: 'https://evil.example.com' })).status).toBe(403);
  });
});

describe('the manifest', () => {
  const scriptOf = async ({ get }: Running): Promise<unknown> =>
    JSON.parse(String((await get('/manifest')).body)).payload.client_script;

  it('names the script and its digest', async () => {
    const { body } = await service.get('/msg.js');
    const digest = createHash('sha384').update(body).digest('base64');
    expect(await scriptOf(service)).toEqual({ path: '/msg.js', integrity: `sha384-${digest}` });
  });

  it('does not name it, and nothing serves it, when it is switched off', async () => {
    const off = await run({ clientScript: false });
    try {
      expect(await scriptOf(off)).toBeUndefined();
      for (const path of ['/msg.js', '/msg.mjs']) expect((await off.get(path)).status).toBe(404);
    } finally {
      await off.stop();
    }
  });
});

it.each([
  ['a flag', { args: ['--client-script', 'off'] }],
  ['a variable', { env: { MSG_CLIENT_SCRIPT: 'false' } }],
])('%s of msg serve switches it off', async (_, options) => {
  const server = await startServer(options);
  try {
    expect((await fetch(`${server.url}/msg.js`)).status).toBe(404);
  } finally {
    await server.stop();
  }
});

it('a checkout is never kept for a year: its version stays while its files change', async () => {
  const dev = await run({ version: 'dev' });
  try {
    expect((await dev.get('/msg.js?v=dev')).headers['cache-control']).toBe('no-cache');
  } finally {
    await dev.stop();
  }
});
