import { clientFrame, flood, HostileSocket, upgradeRequest } from '@msg/testkit/hostile';

const CLIENTS = 1000;
const OPENING = Buffer.concat([upgradeRequest(), clientFrame('{"id":1,"connect":{}}')]);

/**
 * Ordinary clients come and go, as many for each thread. A fresh process takes some 30 MiB under any load and keeps them, most of it for young
 * objects: they are there before a flood is measured, and what it adds is its own.
 */
export async function warmUp(url: string, threads: number): Promise<void> {
  const { results, failures } = await flood({ count: CLIENTS * threads, parallel: CLIENTS }, async () => {
    const socket = await HostileSocket.open(url);
    socket.send(OPENING);
    await socket.until(/"connect":\{/);
    return socket;
  });
  for (const socket of results) socket.destroy();
  if (failures.length > 0) throw new Error(`${failures.length} ordinary clients were not let in`);
}
