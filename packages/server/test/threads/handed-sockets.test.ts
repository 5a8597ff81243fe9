import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { eventually } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HandedSockets, type SocketHandle, socketOf } from '#src/threads/handed-sockets.ts';
import { findPlacement } from '#src/threads/placement.ts';

let server: Server;
const clients: Socket[] = [];

beforeEach(async () => {
  server = createServer({ pauseOnConnect: true, allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await new Promise(resolve => server.close(resolve));
});

/** Connections that the server has accepted, from clients with these names. */
async function accepted(...names: string[]): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (const name of names) {
    const { port } = server.address() as AddressInfo;
    const [[socket]] = await Promise.all([
      once(server, 'connection') as Promise<[Socket]>,
      new Promise<void>(resolve => {
        const client = connect(port, '127.0.0.1', resolve);
        client.on('error', () => {});
        client.write(name);
        clients.push(client);
      }),
    ]);
    sockets.push(socket);
  }
  return sockets;
}

/** A thread's end of a port: it answers each connection with what that said. */
function taker() {
  const { port1, port2 } = new MessageChannel();
  const counts: number[] = [];
  const notGiven: boolean[] = [];
  port2.on('message', (handles: readonly SocketHandle[]) => {
    counts.push(handles.length);
    for (const handle of handles) {
      const socket = socketOf(handle);
      socket.on('data', said => socket.end(`heard ${said}`));
    }
  });
  return {
    counts,
    notGiven,
    give: (handles: readonly SocketHandle[]) => port1.postMessage(handles, handles as never),
    giveBack: (isFailure: boolean) => void notGiven.push(isFailure),
    close: () => port1.close(),
  };
}

async function heardBy(client: Socket | undefined): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of client ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

// A runtime that cannot transfer sockets has each thread accept its own.
describe.skipIf((await findPlacement()) !== 'handover')('connections that are handed over', () => {
  test('the connections of one turn go together, with what their clients had sent', async () => {
    const { give, counts, notGiven, giveBack, close } = taker();
    const handed = new HandedSockets({ give, notGiven: giveBack });
    const sockets = await accepted('a', 'b', 'c');
    for (const socket of sockets) handed.add(socket);
    expect(await Promise.all(clients.map(heardBy))).toEqual(['heard a', 'heard b', 'heard c']);
    const [later] = await accepted('d');
    handed.add(later as Socket);
    expect(await heardBy(clients[3])).toBe('heard d');
    expect([counts, notGiven, sockets.every(({ destroyed }) => destroyed)]).toEqual([[3, 1], [], true]);
    close();
  });

  test('a connection that ends on its way is told, and the others arrive', async () => {
    const { give, counts, notGiven, giveBack, close } = taker();
    const handed = new HandedSockets({ give, notGiven: giveBack });
    const sockets = await accepted('a', 'b');
    for (const socket of sockets) handed.add(socket);
    sockets[0]?.destroy();
    expect(await heardBy(clients[1])).toBe('heard b');
    expect([counts, notGiven]).toEqual([[1], [false]]);
    close();
  });

  test('a thread that cannot take one of them gets the others; that one is closed', async () => {
    const { give, counts, notGiven, giveBack, close } = taker();
    const [good, bad, last] = await accepted('a', 'b', 'c');
    const refused = (bad as Socket & { _handle: SocketHandle })._handle;
    const handed = new HandedSockets({
      give: handles => {
        if (handles.includes(refused)) throw new Error('not this one');
        give(handles);
      },
      notGiven: giveBack,
    });
    for (const socket of [good, bad, last]) handed.add(socket as Socket);
    expect(await heardBy(clients[0])).toBe('heard a');
    expect(await heardBy(clients[2])).toBe('heard c');
    await eventually(
      'the client hears the end',
      () => clients[1]?.closed === true || clients[1]?.readableEnded === true,
    );
    expect([counts, notGiven, bad?.destroyed]).toEqual([[1, 1], [true], true]);
    close();
  });
});
