import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { type AskSettings, askOne, codeOf, rowsOf, sourcesOf as sourcesAt } from './asked.ts';
import { MisbehavingServer } from './misbehaving-server.ts';

/** A listener that must never be met. */
class Trap {
  readonly #server: Server;
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', socket => {
      this.connections++;
      socket.destroy();
    });
  }

  static async open(): Promise<Trap> {
    const trap = new Trap(createServer());
    await new Promise<void>(resolve => trap.#server.listen(0, '::', resolve));
    return trap;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#server.close(() => resolve()));
  }
}

let trap: Trap;
let server: MisbehavingServer;
beforeAll(async () => {
  trap = await Trap.open();
  server = await MisbehavingServer.start({
    '/elsewhere': response => {
      response.writeHead(307, { location: `http://127.0.0.1:${trap.port}/` });
      response.end();
    },
  });
});
afterAll(async () => {
  await trap.close();
  await server.stop();
});

/** Hosts that are this machine, or where clouds hand out credentials, in forty spellings. */
const SPELLINGS = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.2',
    '127.255.255.254',
    '0x7f.0.0.1',
    '0x7f000001',
    '0177.0.0.1',
  ],
  ...[
    '0177.0.0.01',
    '2130706433',
    '017700000001',
    '0x7f.1',
    '127.0x0.0.1',
    '０x7f.1',
    '127。0。0。1',
    '①②⑦.0.0.1',
  ],
  ...['localhost', 'LOCALHOST', 'localhost.', 'lOcAlHoSt', '0', '0.0.0.0', '0x0', '00000', '[::]', '[::1]'],
  ...[
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[0::0]',
    '[::ffff:0.0.0.0]',
  ],
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '[::ffff:169.254.169.254]'],
  ...['[fd00:ec2::254]', '[64:ff9b::169.254.169.254]', '%6c%6f%63%61%6c%68%6f%73%74'],
];

/** Sources whose time stands still: no answer is late because the machine is busy. */
const sourcesOf = (settings: AskSettings) => sourcesAt({ clock: new ManualClock(), ...settings });

const ask = (
  url: string,
  allow: readonly string[],
  more: { config?: JsonObject; resolve?: (host: string) => Promise<LookupAddress[]> } = {},
) =>
  askOne(sourcesOf({ allow, ...(more.resolve === undefined ? {} : { resolve: more.resolve }) }), {
    type: 'http',
    config: { url, ...more.config },
  });

describe('what a document cannot reach', () => {
  it.each(SPELLINGS)('%s, while another origin is allowed', async host => {
    expect(SPELLINGS).toHaveLength(40);
    const data = await ask(`http://${host}:${trap.port}/`, [server.url]);
    expect(['QUERY_HOST_FORBIDDEN', 'QUERY_INVALID']).toContain(codeOf(data));
    expect(trap.connections).toBe(0);
  });

  it.each([
    ['a user before the host', () => `http://${new URL(server.url).host}@127.0.0.1:${trap.port}/`],
    ['a user and an allowed host', () => `http://user:password@${new URL(server.url).host}/rows`],
    ['a backslash', () => `http://127.0.0.1:${trap.port}\\@${new URL(server.url).host}/`],
    ['another port', () => `http://127.0.0.1:${trap.port}/`],
    ['another scheme', () => server.url.replace('http:', 'https:')],
    ['a longer host', () => `${server.url}.evil.example:${trap.port}/`],
  ])('an address with %s', async (_, url) => {
    const before = server.requests.length;
    expect(['QUERY_HOST_FORBIDDEN', 'QUERY_INVALID']).toContain(codeOf(await ask(url(), [server.url])));
    expect([trap.connections, server.requests.length]).toEqual([0, before]);
  });

  it('what the allowed system sends it to', async () => {
    expect(codeOf(await ask(`${server.url}/elsewhere`, [server.url]))).toBe('QUERY_FAILED');
    expect(trap.connections).toBe(0);
  });

  it.each([
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '::',
    'fe80::1',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
  ])('%s behind an allowed name, also beside a good address', async address => {
    const family = address.includes(':') ? 6 : 4;
    const resolve = () =>
      Promise.resolve([
        { address: '127.0.0.1', family: 4 },
        { address, family },
      ]);
    const allowed = `http://prom.example:${trap.port}`;
    const data = await ask(allowed, [allowed], { resolve });
    expect(data).toMatchObject({ error: { code: 'QUERY_HOST_FORBIDDEN', details: { reason: 'address' } } });
    expect(trap.connections).toBe(0);
  });

  it('another address of a name that changes after it was checked', async () => {
    const asked: string[] = [];
    const answers = ['127.0.0.1', '169.254.169.254'];
    const resolve = (host: string) => {
      asked.push(host);
      return Promise.resolve([{ address: answers[asked.length - 1] ?? '', family: 4 }]);
    };
    const allowed = `http://prom.example:${server.port}`;
    expect(rowsOf(await ask(`${allowed}/rows`, [allowed], { resolve }))).toHaveLength(1);
    expect(asked).toEqual(['prom.example']); // once: what was checked is what was dialled
    expect(codeOf(await ask(`${allowed}/rows?again`, [allowed], { resolve }))).toBe('QUERY_HOST_FORBIDDEN');
  });

  it('a forbidden address as a literal is reached when that very literal is allowed', async () => {
    const data = await ask(`http://0.0.0.0:${server.port}/rows`, [`http://0.0.0.0:${server.port}`]);
    expect(rowsOf(data)).toHaveLength(1);
  });
});

const CANARY = 'canary/7+"bird"=';
const FORMS = [
  CANARY,
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64'),
  Buffer.from(CANARY).toString('base64url'),
  JSON.stringify(CANARY).slice(1, -1),
];

describe('a secret', () => {
  it('is sent to no origin but those that its name is listed for, in 200 tries', async () => {
    const environment = { CANARY };
    const sources = sourcesOf({
      allow: [`http://127.0.0.1:${trap.port}`, `${server.url}=OTHER`, 'http://metrics.example=CANARY'],
      environment,
    });
    const places: ((secret: JsonObject) => JsonObject)[] = [
      secret => ({ headers: { authorization: secret } }),
      secret => ({ query: { token: secret } }),
      secret => ({ method: 'POST', body: { deep: [{ token: secret }] } }),
      secret => ({ headers: { 'x-a': { ...secret, prefix: 'Bearer ' } } }),
      secret => ({ rows: { path: '', fields: { a: '/a' } }, headers: { cookie: secret } }),
    ];
    const before = server.requests.length;
    for (let tried = 0; tried < 200; tried++) {
      const place = places[tried % places.length];
      const url = tried % 2 === 0 ? `${server.url}/rows?${tried}` : `http://127.0.0.1:${trap.port}/${tried}`;
      const config = { url, ...place?.({ $secret: 'CANARY' }) } as JsonObject;
      const data = await askOne(sources, { type: 'http', config }, undefined, { environment });
      expect(data).toMatchObject({
        error: { code: 'QUERY_SECRET_FORBIDDEN', details: { names: ['CANARY'] } },
      });
      expect(JSON.stringify(data)).not.toContain('canary');
    }
    expect([trap.connections, server.requests.length]).toEqual([0, before]);
  });

  it('that the system sends back in any form is in no row, column, warning or error', async () => {
    const echo = await MisbehavingServer.start({
      '/echo': response => {
        const rows = FORMS.map(form => ({ form, text: `got ${form}.`, nested: { deep: [form] } }));
        response.end(JSON.stringify([...rows, { [CANARY]: 1 }]));
      },
      '/refuse': response => {
        response.writeHead(401, { 'content-type': 'text/plain' });
        response.end(`${'x'.repeat(260)} ${FORMS.join(' ')}`);
      },
      '/api/v1/query_range': response => {
        const result = FORMS.map(form => ({ metric: { form, [`l_${form}`]: 'x' }, values: [[1, '1']] }));
        response.end(
          JSON.stringify({
            status: 'success',
            warnings: FORMS,
            infos: FORMS,
            data: { resultType: 'matrix', result },
          }),
        );
      },
      '/bad/api/v1/query_range': response =>
        response.end(JSON.stringify({ status: 'error', errorType: CANARY, error: FORMS.join(' ') })),
    });
    try {
      const environment = { CANARY };
      const sources = sourcesOf({ allow: [`${echo.url}=CANARY`], environment });
      const headers = { authorization: { $secret: 'CANARY' } };
      const answers = await Promise.all([
        askOne(sources, { type: 'http', config: { url: `${echo.url}/echo`, headers } }, undefined, {
          environment,
        }),
        askOne(sources, { type: 'http', config: { url: `${echo.url}/refuse`, headers } }, undefined, {
          environment,
        }),
        askOne(
          sources,
          { type: 'prometheus', config: { url: echo.url, headers } },
          { expr: 'up' },
          { environment },
        ),
        askOne(
          sources,
          { type: 'prometheus', config: { url: `${echo.url}/bad`, headers } },
          { expr: 'up' },
          { environment },
        ),
        // The next query of the same system without the secret: what was sent once is masked from then on.
        askOne(sources, { type: 'http', config: { url: `${echo.url}/echo` } }, undefined, { environment }),
      ]);
      expect(echo.headers[0]?.['authorization']).toBe(CANARY);
      expect(answers.map(codeOf)).toEqual(['ready', 'QUERY_FAILED', 'ready', 'QUERY_FAILED', 'ready']);
      const text = JSON.stringify(answers);
      for (const form of FORMS) expect(text).not.toContain(form);
      expect(text).not.toContain(JSON.stringify(CANARY).slice(1, -1));
      expect(text).toContain('•••');
    } finally {
      await echo.stop();
    }
  });

  it('that holds the address is not shown when the address is not allowed', async () => {
    const environment = { PLACE: `http://hidden-place.example:${trap.port}/` };
    const sources = sourcesOf({ allow: [server.url], environment });
    const data = await askOne(sources, { type: 'http', config: { url: { $secret: 'PLACE' } } }, undefined, {
      environment,
    });
    expect(codeOf(data)).toBe('QUERY_HOST_FORBIDDEN');
    expect(JSON.stringify(data)).not.toContain('hidden-place');
  });

  it('is not asked for when it is not set', async () => {
    const config = { url: `${server.url}/rows`, headers: { a: { $secret: 'UNSET' } } };
    expect(codeOf(await askOne(sourcesOf({ allow: [server.url] }), { type: 'http', config }))).toBe(
      'SECRET_MISSING',
    );
  });
});
