import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { localhostCertificate } from '@msg/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { publicFetch } from '#src/notify/sinks/webhook/public-fetch.ts';
import { hookServer } from './support/servers.ts';

const INIT = {
  method: 'POST',
  headers: new Headers({ 'content-type': 'application/json', 'x-one': '1' }),
  body: '{"body":"päid"}',
  redirect: 'manual',
  signal: new AbortController().signal,
} as const;

const portOf = (url: string) => new URL(url).port;
const codeOf = (posted: Promise<unknown>) =>
  posted.then(
    () => 'sent',
    (error: { code?: string }) => error.code,
  );

/** A real listener that counts connections, and answers none. */
async function silentListener(
  host: string,
): Promise<{ readonly port: number; readonly count: () => number }> {
  let count = 0;
  const server = createServer(socket => {
    count++;
    socket.destroy();
  });
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return { port: address.port, count: () => count };
}

describe('a post to a host that a caller names', () => {
  test('goes to the address that was checked: the host is resolved once', async () => {
    const { server, url } = await hookServer({ status: 201, body: 'thanks' });
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const asked: string[] = [];
    const post = publicFetch({
      resolve: async host => {
        asked.push(host);
        return answers[asked.length - 1] ?? [];
      },
      isAllowed: address => address === '127.0.0.1',
    });
    const { status, body } = await post(`http://hooks.example.com:${portOf(url)}/in?k=v`, INIT);
    expect(status).toBe(201);
    expect(await new Response(body).text()).toBe('thanks');
    expect(asked).toEqual(['hooks.example.com']);
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/in?k=v',
        body: INIT.body,
        headers: {
          host: `hooks.example.com:${portOf(url)}`,
          'content-type': 'application/json',
          'content-length': '16',
          'x-one': '1',
        },
      },
    ]);
    // The next post resolves anew, and a host that leads elsewhere by then is refused.
    expect(await codeOf(post(`http://hooks.example.com:${portOf(url)}/`, INIT))).toBe('MSG_INVALID_ARGUMENT');
    expect(server.received).toHaveLength(1);
  });

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700:4700::1111', '::ffff:127.0.0.1']],
    [['8.8.8.8', 'fd00::1', '1.1.1.1']],
    [['::1']],
  ])('is refused when it resolves to %j: nothing connects', async addresses => {
    const listener = await silentListener('127.0.0.1');
    const post = publicFetch({ resolve: async () => addresses });
    expect(await codeOf(post(`http://hooks.example.com:${listener.port}/`, INIT))).toBe(
      'MSG_INVALID_ARGUMENT',
    );
    expect(listener.count()).toBe(0);
  });

  test.each([
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '017700000001',
    '0177.0.0.01',
    '%31%32%37.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fd00::1]',
    '[fe80::1]',
    '169.254.169.254',
    '100.64.0.1',
    '192.168.1.1',
    '255.255.255.255',
    '224.0.0.1',
  ])('is refused for the host %s as the system resolves it', async host => {
    const listener = await silentListener('127.0.0.1');
    expect(await codeOf(publicFetch()(`http://${host}:${listener.port}/`, INIT))).toBe(
      'MSG_INVALID_ARGUMENT',
    );
    expect(listener.count()).toBe(0);
  });

  test('tries every address that was checked', async () => {
    const { server, url } = await hookServer();
    const post = publicFetch({ resolve: async () => ['127.0.0.9', '127.0.0.1'], isAllowed: () => true });
    expect((await post(`http://hooks.example.com:${portOf(url)}/`, INIT)).status).toBe(200);
    expect(server.received).toHaveLength(1);
  });

  test('follows no redirect', async () => {
    const elsewhere = await silentListener('127.0.0.1');
    const { server, url } = await hookServer({
      status: 307,
      headers: { location: `http://127.0.0.1:${elsewhere.port}/` },
    });
    const post = publicFetch({ isAllowed: () => true });
    expect((await post(url, INIT)).status).toBe(307);
    expect(server.received).toHaveLength(1);
    expect(elsewhere.count()).toBe(0);
  });

  test('names the host to a TLS server and verifies its certificate', async () => {
    const names: string[] = [];
    const { key, cert } = localhostCertificate();
    const tls = createTlsServer({
      key,
      cert,
      SNICallback(name, done) {
        names.push(name);
        done(null);
      },
    });
    tls.on('tlsClientError', () => undefined);
    await new Promise<void>(resolve => tls.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void tls.close());
    const address = tls.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const post = publicFetch({ resolve: async () => ['127.0.0.1'], isAllowed: () => true });
    expect(await codeOf(post(`https://hooks.example.com:${port}/`, INIT))).toBe(
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    );
    expect(names).toEqual(['hooks.example.com']);
  });

  test('ends when the caller gives up while the host is being resolved', async () => {
    const caller = new AbortController();
    const post = publicFetch({ resolve: () => new Promise(() => {}) });
    const posted = codeOf(post('http://hooks.example.com/', { ...INIT, signal: caller.signal }));
    caller.abort();
    expect(await posted).toBe(DOMException.ABORT_ERR);
  });

  test('fails for a host without an address', async () => {
    const post = publicFetch({ resolve: async () => [] });
    expect(await codeOf(post('http://hooks.example.com/', INIT))).toBe('ENOTFOUND');
  });
});
