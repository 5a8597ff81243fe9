import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Browser,
  eventually,
  HostileProxy,
  type MsgServer,
  runMsg,
  ShortLivedCertificate,
} from '@msg/testkit';
import type { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifestOf, rpcOf } from '../support/rpc.ts';
import { SECRET_PAYLOAD, startServer } from '../support/server.ts';

const require = createRequire(import.meta.url);
const CLIENT = join(dirname(require.resolve('centrifuge')), '..', 'dist', 'centrifuge.js');
const PACKAGE = dirname(dirname(require.resolve('rwebtransport')));
const CHANNEL = 'private:browser.order.1';

const certificate = new ShortLivedCertificate();
const folder = mkdtempSync(join(tmpdir(), 'msg-webtransport-'));
const flags = (addr: string): string[] => [
  ...['--webtransport-addr', addr],
  ...['--webtransport-cert', certificate.certFile],
  ...['--webtransport-key', certificate.keyFile],
];

afterAll(() => {
  certificate.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('a server with a WebTransport listener', () => {
  let server: MsgServer;
  let browser: Browser;
  let proxy: HostileProxy;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ args: flags('127.0.0.1:0') }), Browser.start()]);
    proxy = await HostileProxy.start(server.url, CLIENT);
  });
  afterAll(async () => {
    await browser.stop();
    await proxy.stop();
    await server.stop();
  });

  test('serves the stock client in Chromium, and lists it in the manifest', async () => {
    const manifest = await manifestOf(server.url);
    expect(manifest.transports).toEqual(['websocket', 'http_stream', 'webtransport']);
    expect(manifest.webtransport_port).toBeGreaterThan(0);
    const rpc = rpcOf(server.url, server.token);
    const { body } = await rpc('CreatePrivate', { name: CHANNEL, subject: 'u-1' });

    const page = await browser.page();
    // The listener's own host, or the origin would be refused.
    await page.goto(`http://${proxy.host.replace('localhost', '127.0.0.1')}/page`);
    const transport = await page.evaluate(
      async ({ endpoint, hash, channel, token }) => {
        const globals = globalThis as unknown as {
          Centrifuge: typeof Centrifuge;
          WebTransport: new (url: string, options: object) => object;
          received: unknown[];
        };
        const value = Uint8Array.from(atob(hash), character => character.charCodeAt(0));
        const Native = globals.WebTransport;
        globals.WebTransport = class extends Native {
          constructor(url: string) {
            super(url, { serverCertificateHashes: [{ algorithm: 'sha-256', value }] });
          }
        };
        const client = new globals.Centrifuge([{ transport: 'webtransport', endpoint }], { token });
        globals.received = [];
        const subscription = client.newSubscription(channel);
        subscription.on('publication', ({ data }) => globals.received.push(data));
        subscription.subscribe();
        const connected = new Promise<string>(resolve =>
          client.on('connected', context => resolve(context.transport)),
        );
        client.connect();
        await subscription.ready(60_000);
        return connected;
      },
      {
        endpoint: `https://127.0.0.1:${manifest.webtransport_port}/connection/webtransport`,
        hash: Buffer.from(certificate.hash).toString('base64'),
        channel: CHANNEL,
        token: String(body['access_token']),
      },
    );
    expect(transport).toBe('webtransport');
    await rpc('Publish', { name: CHANNEL, data: { text: SECRET_PAYLOAD } });
    await page.waitForFunction(
      () => (globalThis as unknown as { received: unknown[] }).received.length === 1,
    );
    expect((await rpc('Presence', { name: CHANNEL })).body).toEqual({ subscribers: 1 });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^msg_connections_active\{[^}]*transport="webtransport"[^}]*\} 1$/m);

    await page.close();
    await eventually(
      'its end is in the access log, without query',
      () =>
        /"method":"CONNECT","path":"\/connection\/webtransport","status":200/.test(server.output().stderr),
      40_000,
    );
  });
});

test('without the listener the manifest does not name it, and the package is not loaded', async () => {
  const server = await startServer({ env: { NODE_OPTIONS: `--import=${brokenPackage('missing')}` } });
  try {
    const manifest = await manifestOf(server.url);
    expect(manifest.transports).toEqual(['websocket', 'http_stream']);
    expect(manifest).not.toHaveProperty('webtransport_port');
  } finally {
    await server.stop();
  }
});

describe('a listener that cannot be had fails the boot', () => {
  const boot = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0', ...args], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr, 'no token is printed by what does not run').not.toContain('bootstrap');
    return stderr;
  };

  test('when the package is not installed: with the command that installs it', async () => {
    const stderr = await boot(flags('127.0.0.1:0'), { NODE_OPTIONS: `--import=${brokenPackage('missing')}` });
    expect(stderr).toMatch(
      /^error: MSG_INVALID_ARGUMENT: server\.webtransport: .* is not installed: npm install rwebtransport$/m,
    );
  });

  test('when the package does not load: with what the loader says', async () => {
    const stderr = await boot(flags('127.0.0.1:0'), {
      NODE_OPTIONS: `--import=${brokenPackage('broken')}`,
    });
    expect(stderr).toMatch(
      /^error: MSG_INVALID_ARGUMENT: server\.webtransport: rwebtransport cannot be loaded: .*rwebtransport\.node: .+$/m,
    );
  });

  test('when Node.js is one that the package does not support', async () => {
    const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'22.20.0'})`;
    const stderr = await boot(flags('127.0.0.1:0'), { NODE_OPTIONS: `--import=${old}` });
    expect(stderr).toMatch(
      /^error: MSG_INVALID_ARGUMENT: server\.webtransport: WebTransport needs Node\.js 24 or 26, this is 22\.20\.0$/m,
    );
  });

  test('when the certificate is bad', async () => {
    const [addr, value, certFlag, , keyFlag, key] = flags('127.0.0.1:0') as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    expect(await boot([addr, value, certFlag, key, keyFlag, key])).toMatch(/holds no PEM certificate$/m);
    expect(await boot([addr, value, certFlag, '/none.pem', keyFlag, key])).toMatch(
      /server\.webtransport: \/none\.pem cannot be read: ENOENT/,
    );
  });

  test('when the port is taken', async () => {
    const server = await startServer({ args: flags('127.0.0.1:0') });
    try {
      const { webtransport_port: port } = await manifestOf(server.url);
      expect(await boot(flags(`127.0.0.1:${port}`))).toMatch(
        /server\.webtransport: cannot listen on UDP 127\.0\.0\.1:\d+: .*in use/,
      );
    } finally {
      await server.stop();
    }
  });

  test.each([
    ['an invalid address', flags('nonsense'), 'server.webtransport.addr: "nonsense" is not host:port'],
    ['no certificate', ['--webtransport-addr', ':0'], 'server.webtransport.cert_file: is required'],
    [
      'a certificate for nothing',
      flags('').slice(2),
      'server.webtransport.cert_file: needs server.webtransport.addr',
    ],
  ])('when there is %s', async (_, args, text) => {
    expect(await boot(args)).toContain(`error: MSG_INVALID_ARGUMENT: ${text}`);
  });

  test('from a file: both names of the certificate, but not at once', async () => {
    const file = join(folder, 'msg.yaml');
    const config = (lines: readonly string[]) =>
      writeFileSync(file, `server:\n  webtransport:\n${lines.map(line => `    ${line}\n`).join('')}`);
    const { certFile, keyFile } = certificate;
    config(['addr: 127.0.0.1:0', `tls_cert_file: ${certFile}`, `tls_key_file: ${keyFile}`]);
    const server = await startServer({ args: ['--config', file] });
    expect((await manifestOf(server.url)).transports).toContain('webtransport');
    await server.stop();
    config([
      'addr: 127.0.0.1:0',
      `cert_file: ${certFile}`,
      `tls_cert_file: ${certFile}`,
      `key_file: ${keyFile}`,
    ]);
    expect(await boot(['--config', file])).toContain(
      'server.webtransport.tls_cert_file is the same as server.webtransport.cert_file',
    );
    config(['enabled: true', `cert_file: ${certFile}`, `key_file: ${keyFile}`]);
    expect(await boot(['--config', file])).toContain('server.webtransport.addr: is required');
  });
});

/** A module that makes the process see the package as not there, or with a broken binary. */
function brokenPackage(how: 'missing' | 'broken'): string {
  const copy = join(folder, 'rwebtransport');
  if (how === 'broken') {
    const binary = join('prebuilds', `${process.platform}-${process.arch}`, 'rwebtransport.node');
    for (const part of ['package.json', 'dist', binary]) {
      cpSync(join(PACKAGE, part), join(copy, part), { recursive: true });
    }
    writeFileSync(join(copy, binary), 'not a binary');
  }
  const found = pathToFileURL(join(copy, 'dist', 'index.mjs')).href;
  const missing = `Object.assign(new Error("Cannot find package 'rwebtransport'"), { code: 'ERR_MODULE_NOT_FOUND' })`;
  const file = join(folder, `${how}.mjs`);
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'rwebtransport') return next(specifier, context);
    ${how === 'missing' ? `throw ${missing};` : `return { url: ${JSON.stringify(found)}, shortCircuit: true };`}
  },
});
`,
  );
  return pathToFileURL(file).href;
}
