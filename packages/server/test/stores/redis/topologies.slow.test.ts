import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localhostCertificate } from '@msg/testkit';
import { RedisCluster, RedisSentinels, RedisServer } from '@msg/testkit/redis';
import { storeContracts } from './contracts.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../docs/clustering.md'), 'utf8');
/** What the page gives the service's user: its own keys and PUB/SUB channels, nothing dangerous. */
const RULES = /^user msg on >secret (.+)$/m.exec(PAGE)?.[1]?.split(' ') ?? [];

storeContracts('TLS and a user', async () => {
  const tls = localhostCertificate();
  const user = { name: 'msg', password: 'päss word/@:', rules: RULES };
  const server = await RedisServer.start({ tls, user });
  const caFile = join(server.folder, 'ca.pem');
  await writeFile(caFile, tls.cert);
  const options = { address: server.url, username: user.name, password: user.password, tls: { caFile } };
  return { options, stop: () => server.stop() };
});

storeContracts('Sentinel', async () => {
  const topology = await RedisSentinels.start({ replicas: 1 });
  return { options: { address: topology.address }, stop: () => topology.stop() };
});

storeContracts('Cluster', async () => {
  const cluster = await RedisCluster.start();
  return { options: { address: cluster.address }, stop: () => cluster.stop() };
});
