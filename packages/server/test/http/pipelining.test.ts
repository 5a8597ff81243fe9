import type { ServerResponse } from 'node:http';
import { eventually } from '@msg/testkit';
import { HostileSocket, pipelined, type RawRequest, rawRequest } from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { embed, stopEmbedded } from '../support/embedded.ts';

afterEach(stopEmbedded);

const CONNECT = '{"id":1,"connect":{}}';
const STREAM: RawRequest = { method: 'POST', target: '/connection/http_stream', body: CONNECT };
const many = (count: number, target = '/healthz'): Buffer =>
  pipelined(Array.from({ length: count }, () => ({ target })));

describe('requests in one piece', () => {
  it('are answered in their order, a hundred behind the first', async () => {
    const { url } = await embed();
    const socket = await HostileSocket.open(url);
    socket.send(many(101));
    for (let count = 0; count < 101; count++) expect((await socket.response()).status).toBe(200);
    socket.send(many(1));
    expect((await socket.response()).status).toBe(200);
    socket.reset();
  });

  it('end the connection when they are more', async () => {
    const { url } = await embed();
    const socket = await HostileSocket.open(url);
    socket.send(many(1000));
    await socket.ended();
    expect(socket.text.split('HTTP/1.1 200 OK').length).toBeLessThan(103);
  });

  it.each(['/connection/http_stream', '/connection/sse', '/sse?channel=public:edge.news'])(
    'end the connection behind the stream of %s, which never ends',
    async target => {
      const { url, msg } = await embed();
      await msg.channels.openPublic('public:edge.news');
      const socket = await HostileSocket.open(url);
      const isDebug = target.startsWith('/sse');
      socket.send(rawRequest(isDebug ? { target } : { ...STREAM, target }));
      await socket.until(isDebug ? /\r\n\r\n/ : /"connect":\{/);
      expect(socket.end).toBeUndefined();
      socket.send(many(1));
      await socket.ended();
    },
  );

  it('are told when a stream among them cannot open, as the answer before it is due', async () => {
    const { url, msg, server } = await embed();
    const due: ServerResponse[] = [];
    const handle = msg.handler();
    server.removeAllListeners('request').on('request', (request, response) => {
      if (request.url === '/slow') due.push(response);
      else handle(request, response);
    });
    const socket = await HostileSocket.open(url);
    socket.send(pipelined([{ target: '/slow' }, STREAM, { target: '/healthz' }]));
    // A request on another connection is answered: those of the first have arrived and been read.
    await eventually('the slow request arrives', () => due.length === 1);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    due[0]?.end('at last');
    expect((await socket.response()).body.toString()).toBe('at last');
    const { status, body } = await socket.response();
    expect([status, body.toString()]).toEqual([
      400,
      'a stream must not be requested behind a request whose answer is due',
    ]);
    expect((await socket.response()).status).toBe(200);
    socket.reset();
  });
});
