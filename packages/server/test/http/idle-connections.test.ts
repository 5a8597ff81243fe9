import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@msg/foundation/clock';
import { HostileSocket, rawRequest } from '@msg/testkit/hostile';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeIdleConnections } from '#src/http/idle-connections.ts';

const KEEP_ALIVE_MS = 100;
/** Node keeps a connection for so much longer than it says. */
const BUFFER_MS = 1000;

describe('an idle connection', () => {
  let server: Server;
  let url: string;

  beforeEach(async () => {
    server = createServer((_request, response) => response.end('ok'));
    closeIdleConnections(server, systemClock);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => new Promise(resolve => server.close(resolve)));

  async function answeredOnce(): Promise<HostileSocket> {
    const socket = await HostileSocket.open(url);
    socket.send(rawRequest({}));
    expect((await socket.response()).body.toString()).toBe('ok');
    return socket;
  }

  it('is closed after its time', async () => {
    const socket = await answeredOnce();
    expect(await socket.ended()).toBe('fin');
  });

  it('is not closed when its time ends in a turn that is too long to read the request that has arrived', async () => {
    const socket = await answeredOnce();
    await nextTurn(); // timers are what comes next
    socket.send(rawRequest({}));
    // One long turn of the event loop, in which nothing is read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, KEEP_ALIVE_MS + BUFFER_MS + 200);
    expect((await socket.response()).body.toString()).toBe('ok');
    socket.destroy();
  });
});
