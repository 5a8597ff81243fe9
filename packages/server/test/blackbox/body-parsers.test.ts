import { HostileSocket, rawRequest } from '@msg/testkit/hostile';
import { Centrifuge } from 'centrifuge';
import { afterEach, describe, expect, it } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { callApi, echo, endApplications, startApplication, worksIn } from './frameworks/mounted.ts';
import { MOUNTINGS, nameOf } from './frameworks/names.ts';

const REMEDY = 'the body was read by a parser before msg: mount msg first';

afterEach(endApplications);

// Next.js has a test of its own: it is installed and built there.
const rows = MOUNTINGS.filter(({ framework }) => !framework.startsWith('Next')).map(
  row => [nameOf(row), row] as const,
);

describe('msg in an application of', () => {
  it.each(rows.filter(([, { hasBodies }]) => hasBodies))(
    '%s serves the RPC, the HTTP API and clients over every transport, and the application reads its own bodies',
    async (_name, row) => {
      await worksIn(await startApplication(row));
    },
  );

  it.each(rows.filter(([, { hasBodies }]) => !hasBodies))(
    '%s answers what the parser took away with the remedy, at once',
    async (_name, row) => {
      const application = await startApplication(row);
      const { url, token } = application;
      const answer = await rpcOf(url, token)('ListChannels', {});
      expect(answer).toMatchObject({ status: 500, body: { code: 'internal', msg: REMEDY } });
      expect((await callApi(application, 1)).status).toBe(500);
      for (const target of ['/connection/http_stream', '/connection/sse', '/emulation']) {
        const socket = await HostileSocket.open(url);
        const headers = [['Content-Type', 'application/json']] as const;
        socket.send(rawRequest({ method: 'POST', target, headers, body: '{}' }));
        const { status, body } = await socket.response();
        expect([status, body.toString()]).toEqual([500, REMEDY]);
        socket.destroy();
      }
      const client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, {
        websocket: WebSocket,
      });
      client.connect();
      await client.ready(60_000);
      client.disconnect();
      expect(await echo(url)).toEqual({ echo: { own: 1 } });
    },
  );
});
