import { type MsgServer, startMsg } from '@msg/testkit';
import { HostileSocket, rawRequest } from '@msg/testkit/hostile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let server: MsgServer;
beforeAll(async () => {
  server = await startMsg();
});
afterAll(() => server.stop());

const BODY = '{"name":"public:a.b"}';

async function expecting(target: string, token = ''): Promise<HostileSocket> {
  const socket = await HostileSocket.open(server.url);
  const credential = token === '' ? [] : [['Authorization', `Bearer ${token}`] as const];
  socket.send(
    rawRequest({
      method: 'POST',
      target,
      headers: [
        ...credential,
        ['Content-Type', 'application/json'],
        ['Content-Length', String(BODY.length)],
        ['Expect', '100-continue'],
      ],
    }),
  );
  return socket;
}

describe('a request that waits for 100 Continue', () => {
  it('gets it when its body is about to be read, and then its answer', async () => {
    const socket = await expecting('/twirp/msg.MsgService/OpenPublic', server.token);
    await socket.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    socket.send(BODY);
    expect((await socket.response()).status).toBe(200);
    socket.destroy();
  });

  it.each([
    ['/twirp/msg.MsgService/OpenPublic', 401],
    ['/not-a-path', 404],
  ])('never gets it when it is refused: %s', async (target, status) => {
    const socket = await expecting(target);
    await socket.until(new RegExp(`^HTTP/1\\.1 ${status} `)); // the first line of all
    await socket.ended();
    socket.destroy();
  });
});
