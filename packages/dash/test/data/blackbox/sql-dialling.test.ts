import { eventually, localhostCertificate } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { askOne, codeOf, rowsOf, sourcesOf } from '../asked.ts';
import { Listener } from '../listeners.ts';

const SELECT = { text: 'SELECT 1 AS n' };

/** What one query of a connection gives, where its origin is allowed. */
async function asked(url: string, config: JsonObject = {}, more: object = {}) {
  const allow = [url.replace(/\/\/.*@/, '//').replace(/\/\w+$/, '')];
  const sources = sourcesOf({ allow, ...more });
  try {
    return await askOne(sources, { type: 'sql', config: { url, ...config } }, SELECT);
  } finally {
    await sources.close();
  }
}

describe('a system that is not PostgreSQL', () => {
  it.each([
    ['closes', (socket: { end(): unknown }) => void socket.end(), 'QUERY_FAILED'],
    ['is silent', () => undefined, 'QUERY_TIMEOUT'],
    [
      'says something else',
      (socket: { end(text: string): unknown }) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'QUERY_FAILED',
    ],
  ])('costs one connection and an error where it %s', async (_, deed, code) => {
    const listener = await Listener.open(deed);
    try {
      for (const ssl of ['disable', 'require'])
        expect(codeOf(await asked(`postgres://u@127.0.0.1:${listener.port}/d`, { ssl }))).toBe(code);
      expect(listener.connections).toBe(2);
    } finally {
      await listener.close();
    }
  });

  it('is not dialled without encryption on another machine, nor with a user or a place that do not fit', async () => {
    const listener = await Listener.open();
    const { port } = listener;
    try {
      for (const host of ['0.0.0.0', '10.0.0.1', 'database', '[::]']) {
        const data = await asked(`postgres://u@${host}:${port}/d`, { ssl: 'disable' });
        expect(data).toMatchObject({ error: { code: 'QUERY_INVALID', details: { member: 'ssl' } } });
      }
      const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
      const local = await asked(
        `postgres://u@localhost:${port}/d`,
        { ssl: 'disable', timeout: 1 },
        { resolve },
      );
      expect(codeOf(local)).toBe('QUERY_TIMEOUT');
      expect(listener.connections).toBe(1);
      const away = () => Promise.resolve([{ address: '169.254.169.254', family: 4 }]);
      const rebound = await asked(`postgres://u@localhost:${port}/d`, { ssl: 'disable' }, { resolve: away });
      expect(codeOf(rebound)).toBe('QUERY_HOST_FORBIDDEN');
      const other = await askOne(
        sourcesOf({ allow: [`postgres://127.0.0.1:${port + 1}`] }),
        { type: 'sql', config: { url: `postgres://127.0.0.1@127.0.0.1:${port}/d`, ssl: 'disable' } },
        SELECT,
      );
      expect(codeOf(other)).toBe('QUERY_HOST_FORBIDDEN');
      expect(listener.connections).toBe(1);
    } finally {
      await listener.close();
    }
  });
});

describe('encryption', () => {
  let server: PostgresServer;
  let plain: PostgresServer;
  const environment = { PASSWORD: '' };
  beforeAll(async () => {
    [server, plain] = await Promise.all([
      PostgresServer.start({ tls: localhostCertificate() }),
      PostgresServer.start(),
    ]);
    environment.PASSWORD = server.password;
    for (const { addRole } of [server, plain].map(each => ({ addRole: each.addRole.bind(each) })))
      addRole('reader');
    server.sql('CREATE EXTENSION IF NOT EXISTS sslinfo');
  }, 120_000);
  afterAll(() => Promise.all([server.stop(), plain.stop()]));

  const ask = (of: PostgresServer, ssl: string, text = 'SELECT ssl_is_used() AS used') =>
    askOne(
      sourcesOf({ allow: [`${of.origin}=PASSWORD`], environment }),
      { type: 'sql', config: { url: of.url('reader'), ssl, password: { $secret: 'PASSWORD' } } },
      { text },
      { environment },
    );

  it('is used where it is required', async () => {
    expect(rowsOf(await ask(server, 'require'))).toEqual([{ used: true }]);
    expect(rowsOf(await ask(server, 'disable'))).toEqual([{ used: false }]);
  });

  it('ends a statement, too', async () => {
    const data = await askOne(
      sourcesOf({ allow: [`${server.origin}=PASSWORD`], environment }),
      {
        type: 'sql',
        config: {
          url: server.url('reader'),
          ssl: 'require',
          password: { $secret: 'PASSWORD' },
          timeout: 1,
          statementTimeout: 30,
        },
      },
      { text: 'SELECT pg_sleep(60)' },
      { environment },
    );
    expect(codeOf(data)).toBe('QUERY_TIMEOUT');
    const running = `SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state <> 'idle'`;
    await eventually('it is over', () => server.sql(running) === '0', 10_000);
  });

  it('checks the certificate by default', async () => {
    expect(await ask(server, 'verify-full')).toMatchObject({
      error: { code: 'QUERY_FAILED', details: { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' } },
    });
  });

  it('that the server has not is not done without', async () => {
    for (const ssl of ['require', 'verify-full'])
      expect(await ask(plain, ssl)).toMatchObject({
        error: { code: 'QUERY_FAILED', details: { reason: 'tls' } },
      });
  });
});
