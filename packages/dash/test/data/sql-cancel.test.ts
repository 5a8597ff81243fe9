import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, it, onTestFinished } from 'vitest';
import { addressOf } from '#src/data/sql/address.ts';
import { cancelStatement } from '#src/data/sql/cancel.ts';

it('a request to end a statement is given up after 3 s at a database that does not close', async () => {
  const server = createServer({ allowHalfOpen: true });
  onTestFinished(() => void server.close());
  const reached = once(server, 'connection');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const address = addressOf({ url: `postgres://reports@127.0.0.1:${port}/shop`, ssl: 'disable' });
  const clock = new ManualClock();
  const lookup = (): never => expect.unreachable('an address is not looked up');
  const tools = { clock, lookup, upstreamText: (text: string) => text };
  const cancelled = cancelStatement(tools, address, { pid: 7, secret: 9 });
  const [socket] = (await reached) as [Socket]; // the argument of the event
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const [request] = (await once(socket, 'data')) as [Buffer];
  expect(request.length).toBe(16);
  await once(socket, 'end');
  await clock.advance(3_000);
  await cancelled;
});
