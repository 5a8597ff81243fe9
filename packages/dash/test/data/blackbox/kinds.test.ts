import { expect, it } from 'vitest';
import { HTTP } from '#src/data/http/kind.ts';
import { DATA_SOURCE_KINDS } from '#src/data/kinds.ts';
import { MSG } from '#src/data/msg/kind.ts';
import { PROMETHEUS } from '#src/data/prometheus/kind.ts';
import type { DataSourceKind } from '#src/data/source.ts';
import { SQL } from '#src/data/sql/kind.ts';
import { STATIC } from '#src/data/static/kind.ts';
import type { JsonObject } from '#src/document/json.ts';
import { Listener } from '../listeners.ts';
import { MisbehavingServer } from '../misbehaving-server.ts';
import { OrdersChannel } from '../orders-channel.ts';
import { Shop } from '../shop.ts';
import { dataSourceSuite, type SourceFixture } from '../source-suite.ts';

const withHeader = (config: JsonObject, secret: JsonObject): JsonObject => ({
  ...config,
  headers: { authorization: secret },
});

const seenBy = (server: MisbehavingServer) => () => ({
  requests: server.requests.length,
  ended: server.cancelled,
});

/** The system of each kind. A real Prometheus has a test of its own; here its answers are recorded ones. */
const FIXTURES: readonly (readonly [DataSourceKind, () => Promise<SourceFixture>])[] = [
  [
    STATIC,
    async () => ({
      allow: [],
      connection: { type: 'static', config: { rows: [{ a: 1 }, { a: 2 }] } },
      stop: async () => {},
    }),
  ],
  [
    HTTP,
    async () => {
      const server = await MisbehavingServer.start();
      const at = (path: string) => ({ type: 'http', config: { url: `${server.url}${path}` } });
      return {
        allow: [server.url],
        connection: at('/rows'),
        dialled: {
          refused: { connection: at('/error') },
          silent: at('/silent'),
          withSecret: withHeader,
          seen: seenBy(server),
        },
        stop: () => server.stop(),
      };
    },
  ],
  [
    PROMETHEUS,
    async () => {
      const result = [{ metric: { job: 'api' }, values: [[1_767_322_800, '1']] }];
      const server = await MisbehavingServer.start({
        '/api/v1/query_range': response =>
          response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } })),
        '/silent/api/v1/query_range': () => {},
        '/refusing/api/v1/query_range': response => {
          response.writeHead(400, { 'content-type': 'application/json' });
          response.end('{"status":"error","errorType":"bad_data","error":"parse error"}');
        },
      });
      const at = (path: string) => ({ type: 'prometheus', config: { url: `${server.url}${path}` } });
      return {
        allow: [server.url],
        connection: at(''),
        query: { expr: 'up', step: '15s' },
        dialled: {
          refused: { connection: at('/refusing') },
          silent: at('/silent'),
          withSecret: withHeader,
          seen: seenBy(server),
        },
        stop: () => server.stop(),
      };
    },
  ],
  [
    SQL,
    async () => {
      const shop = await Shop.open({ trusted: ['reader'] });
      const silent = await Listener.open();
      const at = (url: string) => ({ type: 'sql', config: { url, ssl: 'disable' } });
      return {
        allow: [shop.server.origin, `postgres://127.0.0.1:${silent.port}`],
        connection: at(shop.server.url('reader')),
        query: { text: 'SELECT 1 AS n' },
        dialled: {
          refused: { query: { text: 'SELECT no_such_column' } },
          silent: at(`postgres://u@127.0.0.1:${silent.port}/d`),
          withSecret: (config, secret) => ({ ...config, password: secret }),
          seen: () => ({ requests: silent.connections, ended: silent.ended }),
        },
        stop: async () => {
          await shop.close();
          await silent.close();
        },
      };
    },
  ],
  [
    MSG,
    async () => {
      const orders = await OrdersChannel.open();
      const silent = await Listener.open();
      await orders.publish({ region: 'eu' });
      return {
        allow: [orders.origin, `ws://127.0.0.1:${silent.port}`],
        connection: orders.connection(),
        dialled: {
          refused: { connection: orders.connection({ channel: 'no channel' }) },
          silent: orders.connection({ url: `ws://127.0.0.1:${silent.port}/connection/websocket` }),
          withSecret: (config, secret) => ({ ...config, token: secret }),
          seen: () => ({ requests: silent.connections, ended: silent.ended }),
        },
        stop: async () => {
          await orders.stop();
          await silent.close();
        },
      };
    },
  ],
];

for (const [kind, start] of FIXTURES) dataSourceSuite(kind, start);

it('every kind passes the suite of sources', () => {
  expect(FIXTURES.map(([kind]) => kind)).toEqual(DATA_SOURCE_KINDS);
});
