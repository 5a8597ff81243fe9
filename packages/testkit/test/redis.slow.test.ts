import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { eventually, localhostCertificate } from '@msg/testkit';
import { FaultProxy, RedisCluster, RedisSentinels, RedisServer } from '@msg/testkit/redis';
import { afterEach, expect, test } from 'vitest';

const stops: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function keep<T extends { stop(): Promise<void> }>(started: T): T {
  stops.push(() => started.stop());
  return started;
}

async function socketTo(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', chunk => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  stops.push(() => void socket.destroy());
  return { socket, received: () => text };
}

test('a server that is not persistent forgets, a persistent one remembers, and the folder goes', async () => {
  for (const persistent of [false, true]) {
    const server = keep(await RedisServer.start({ persistent }));
    await server.command('SET', 'colour', 'blue');
    await server.kill();
    await expect(server.command('PING')).rejects.toThrow();
    await server.restart();
    expect(await server.command('GET', 'colour')).toBe(persistent ? 'blue' : null);
    await server.stop();
    expect(existsSync(server.folder)).toBe(false);
  }
});

test('TLS and a user guard a server', async () => {
  const user = { name: 'msg', password: 'a "quoted" secret' };
  const server = keep(await RedisServer.start({ tls: localhostCertificate(), user }));
  expect(server.url).toMatch(/^rediss:/);
  expect(await server.command('ACL', 'WHOAMI')).toBe('msg');
});

test('a paused server answers again when it goes on', async () => {
  const server = keep(await RedisServer.start());
  server.pause();
  let answered = false;
  const pong = server.command('PING').then(() => {
    answered = true;
  });
  await new Promise(resolve => setImmediate(resolve));
  expect(answered).toBe(false);
  server.resume();
  await pong;
});

test('three Sentinels replace a dead master by a replica that has its data', async () => {
  const topology = keep(await RedisSentinels.start({ replicas: 1 }));
  expect(await topology.currentMaster()).toBe(topology.master);
  await topology.master.command('SET', 'colour', 'blue');
  await topology.master.command('WAIT', 1, 5000);
  await topology.master.kill();
  const master = await topology.failedOver(topology.master);
  expect(await master.command('GET', 'colour')).toBe('blue');
}, 120_000);

test('a slot moves between masters of a cluster with its keys', async () => {
  const cluster = keep(await RedisCluster.start());
  const slot = await cluster.slotOf('colour');
  const from = await cluster.ownerOf(slot);
  const to = (from + 1) % cluster.nodes.length;
  await cluster.nodes[from]?.command('SET', 'colour', 'blue');
  await cluster.moveSlot(slot, to);
  expect(await cluster.ownerOf(slot)).toBe(to);
  expect(await cluster.nodes[to]?.command('GET', 'colour')).toBe('blue');
}, 120_000);

test('the proxy passes, holds back, releases, silences and cuts', async () => {
  const server = keep(await RedisServer.start());
  const proxy = keep(await FaultProxy.start(server));
  const { socket, received } = await socketTo(proxy.port);
  socket.write('PING\r\n');
  await eventually('a pong', () => received() === '+PONG\r\n');

  proxy.fault = { delayMs: 20 };
  socket.write('PING\r\n');
  await eventually('a late pong', () => received() === '+PONG\r\n'.repeat(2));

  proxy.fault = 'blackhole';
  socket.write('PING\r\n');
  const before = proxy.connections.values().next().value?.bytes;
  expect(await server.command('PING')).toBe('PONG');
  expect(proxy.connections.values().next().value?.bytes).toBe(before);
  proxy.fault = 'pass';
  await eventually('the pong that was held back', () => received() === '+PONG\r\n'.repeat(3));

  socket.write('SUBSCRIBE news\r\n');
  await eventually('the subscription', () => received().includes('subscribe'));
  expect(proxy.silenceSubscriptions()).toBe(1);
  expect(await server.command('PUBLISH', 'news', 'lost')).toBe(1);
  expect(received()).not.toContain('lost');

  proxy.fault = 'cut';
  await eventually('the connection is reset', () => socket.destroyed);
  const refused = await socketTo(proxy.port);
  await eventually('a new connection is reset', () => refused.socket.destroyed);
});
