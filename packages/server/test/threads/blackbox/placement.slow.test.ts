import { connect, type Socket } from 'node:net';
import { eventually, runMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultyServer, seriesOf, startFaultyServer } from '../../support/threads.ts';

/** A plain connection, and what came on it. */
async function open(server: FaultyServer) {
  const { port } = new URL(server.url);
  const socket: Socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  let hasEnded = false;
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => {});
  socket.on('end', () => {
    hasEnded = true;
  });
  socket.on('close', () => {
    hasEnded = true;
  });
  await new Promise<void>(resolve => socket.once('connect', resolve));
  return {
    socket,
    received: () => text,
    hasEnded: () => hasEnded,
    /** How many answers with this status came. */
    answers: (status: number) => text.split(`HTTP/1.1 ${status} `).length - 1,
  };
}

const GET = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe.each([
  ['handover', undefined],
  ['reusePort', 'yes'],
])('connections reach threads by %s', (placement, noTransfer) => {
  let server: FaultyServer;
  beforeAll(async () => {
    server = await startFaultyServer({ args: ['--threads', '2'], env: { NO_TRANSFER: noTransfer } });
  });
  afterAll(() => server.stop());

  test('the log says how', () => {
    expect(server.output().stderr).toContain(`"threads":2,"placement":"${placement}"`);
  });

  test('a connection is kept for the next request, and pipelined ones are answered', async () => {
    const client = await open(server);
    client.socket.write(GET);
    await eventually('an answer', () => client.answers(200) === 1);
    client.socket.write(GET + GET);
    await eventually('three answers', () => client.answers(200) === 3);
    expect(client.hasEnded()).toBe(false);
    client.socket.destroy();
  });

  test('a client that ends its side after the request is answered', async () => {
    const client = await open(server);
    client.socket.end(GET);
    await eventually('the answer', () => client.answers(200) === 1);
    await eventually('the end', () => client.hasEnded());
    client.socket.destroy();
  });

  test('a client that ends its side without a request is closed', async () => {
    const client = await open(server);
    client.socket.end();
    await eventually('the end', () => client.hasEnded());
    client.socket.destroy();
  });

  test('half a head is cut after its time with 408', async () => {
    const client = await open(server);
    client.socket.write('GET /readyz HTTP/1.1\r\nHos');
    await eventually('the refusal', () => client.answers(408) === 1 && client.hasEnded());
    client.socket.destroy();
  });

  test('half a body is cut after its time with 408', async () => {
    const client = await open(server);
    client.socket.write(
      'POST /connection/http_stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
    );
    await eventually('the refusal', () => client.answers(408) === 1, 60_000);
    client.socket.destroy();
  });

  test('a reader that closes its stream is noticed at once', async () => {
    const client = await open(server);
    const body = JSON.stringify({ id: 1, connect: {} });
    const head = `POST /connection/http_stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    client.socket.write(head + body);
    await eventually('the stream', () => client.received().includes('"connect"'));
    const active = () =>
      seriesOf(server.url, 'msg_connections_active{transport="http_stream",encoding="json"}');
    expect(await active()).toBe(1);
    client.socket.destroy();
    await eventually('it is gone', async () => ((await active()) ?? 0) === 0);
  });

  test('the peer of a connection is known', async () => {
    const client = await open(server);
    client.socket.write('GET /the-peer HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await eventually('the record', () =>
      /"path":"\/the-peer".*"remote_addr":"127\.0\.0\.1"/.test(server.output().stderr),
    );
    client.socket.destroy();
  });

  test('open connections are counted on the threads that have them', async () => {
    const clients = await Promise.all(Array.from({ length: 40 }, () => open(server)));
    for (const { socket } of clients) socket.write(GET);
    await eventually('all are answered', () => clients.every(client => client.answers(200) === 1));
    const [first = 0, second = 0] = await Promise.all(
      [1, 2].map(thread => seriesOf(server.url, `msg_thread_connections{thread="${thread}"}`)),
    );
    expect(first + second).toBeGreaterThanOrEqual(40);
    for (const { socket } of clients) socket.destroy();
    await eventually('none is left', async () => {
      const counts = await Promise.all(
        [1, 2].map(thread => seriesOf(server.url, `msg_thread_connections{thread="${thread}"}`)),
      );
      return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) < 20;
    });
  });

  test('a taken port fails the start', async () => {
    const { host } = new URL(server.url);
    const { code, stderr } = await runMsg(['serve', '--addr', host, '--threads', '2']);
    expect(code).toBe(1);
    expect(stderr).toContain(`MSG_INVALID_ARGUMENT: server.addr: cannot listen on ${host}`);
  });
});
