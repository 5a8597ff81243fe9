import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { FaultProxy } from '@msg/testkit/redis';
import { expect, it, onTestFinished } from 'vitest';

it('keeps the order of bytes when a delay ends', async () => {
  const received = Promise.withResolvers<string>();
  const server = createServer(socket => void text(socket).then(received.resolve, received.reject));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await FaultProxy.start({ host: '127.0.0.1', port });
  onTestFinished(() => proxy.stop());
  const client = connect(proxy.port, '127.0.0.1');
  // Before the proxy stops, which resets what is open.
  onTestFinished(() => void client.destroy());
  client.setNoDelay(true);
  const forwarded = async (chunk: string, bytes: number) => {
    client.write(chunk);
    await expect.poll(() => [...proxy.connections][0]?.bytes).toBe(bytes);
  };
  proxy.fault = { delayMs: 200 };
  await forwarded('a', 1);
  proxy.fault = { delayMs: 50 };
  await forwarded('b', 2);
  proxy.fault = 'pass';
  await forwarded('c', 3);
  // The end of the connection is not delayed: everything has to be out before.
  await expect.poll(() => [...proxy.connections][0]?.server.bytesWritten).toBe(3);
  client.end();
  [...proxy.connections][0]?.server.end();
  expect(await received.promise).toBe('abc');
});
