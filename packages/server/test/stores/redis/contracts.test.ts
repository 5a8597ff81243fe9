import { RedisServer } from '@msg/testkit/redis';
import { storeContracts } from './contracts.ts';

storeContracts('standalone', async () => {
  const server = await RedisServer.start();
  return { options: { address: server.address }, stop: () => server.stop() };
});
