import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HostileSocket, upgradeRequest } from '@msg/testkit/hostile';
import { expect, onTestFinished, test } from 'vitest';
import { UpgradeListener } from '#src/http/upgrade-listener.ts';

test('a handler is asked once about an upgrade that it takes', async () => {
  const server = createServer();
  onTestFinished(() => server.closeAllConnections());
  let asked = 0;
  UpgradeListener.of(server).add({
    takes: () => ++asked > 0,
    upgrade(_request, socket) {
      socket.on('error', () => socket.destroy());
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    },
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = await HostileSocket.open(`http://127.0.0.1:${port}`);
  onTestFinished(() => socket.reset());
  socket.send(upgradeRequest());
  await socket.until(/^HTTP\/1\.1 101 /);
  server.close();
  expect(asked).toBe(1);
});
