import type { MsgOptions } from '@msg/server';
import { HostileSocket, rawRequest, upgradeRequest } from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { servedHosts } from '#src/http/bind.ts';
import { Hosts } from '#src/http/hosts.ts';
import { embed, stopEmbedded } from '../support/embedded.ts';

afterEach(stopEmbedded);

/** Status of the answer to a request with these `Host` lines. */
async function statusOf(url: string, hosts: readonly string[], target = '/healthz'): Promise<number> {
  const socket = await HostileSocket.open(url);
  try {
    const headers = hosts.map(host => ['Host', host] as const);
    const isUpgrade = target === '/connection/websocket';
    const method = target.startsWith('/twirp') ? 'POST' : 'GET';
    socket.send(isUpgrade ? upgradeRequest({ headers }) : rawRequest({ method, target, headers }));
    return (await socket.response()).status;
  } finally {
    socket.destroy();
  }
}

const TARGETS = [
  '/healthz',
  '/nothing',
  '/twirp/msg.MsgService/Manifest',
  '/connection/http_stream',
  '/connection/websocket',
];

describe('a request', () => {
  it.each(TARGETS)('to %s with two Host headers is 400', async target => {
    const { url } = await embed();
    expect(await statusOf(url, ['a.example', 'a.example'], target)).toBe(400);
    expect(await statusOf(url, ['127.0.0.1', 'evil.example'], target)).toBe(400);
  });

  it.each(TARGETS)('to %s with a Host that is not listed is 403', async target => {
    const { url } = await embed({ allowedHosts: ['app.example'] });
    expect(await statusOf(url, ['evil.example'], target)).toBe(403);
    expect(await statusOf(url, ['app.example'], target)).not.toBe(403);
  });

  it('may have any Host when an application mounts the service and lists none', async () => {
    const { url } = await embed();
    expect(await statusOf(url, ['app.example'])).toBe(200);
    expect(await statusOf(url, ['app.example'], '/connection/websocket')).toBe(101);
  });

  it.each([['*.*'], ['https://app.example'], [''], ['a b'], ['app.example/x']])(
    'cannot be allowed by %j',
    async entry => {
      const options: MsgOptions = { allowedHosts: [entry] };
      await expect(embed(options)).rejects.toMatchObject({
        code: 'MSG_INVALID_ARGUMENT',
        message: expect.stringContaining('server.allowed_hosts'),
      });
    },
  );
});

describe('names', () => {
  const decide = (entries: readonly string[], host: string) =>
    new Hosts(entries).decide({ headers: { host }, rawHeaders: ['Host', host] } as never);

  it.each([
    'localhost',
    'LOCALHOST:8000',
    'localhost.',
    'app.localhost:80',
    '127.0.0.1:8000',
    '127.9.9.9',
    '[::1]:8000',
    '[::ffff:127.0.0.1]',
    'app.example',
    'App.Example.:443',
    'a.sub.example',
    'a.b.sub.example:1',
  ])('%s is allowed', host => {
    expect(decide(['app.example', '*.sub.example'], host)).toBe('allowed');
  });

  it.each([
    'evil.example',
    'sub.example',
    'evilsub.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '10.0.0.1',
    '[::2]',
    '[::1',
    '1270.0.0.1',
    'app.example@evil.example',
    '',
    ':8000',
  ])('%s is not', host => {
    expect(decide(['app.example', '*.sub.example'], host)).toBe('foreign');
  });

  it('* is any', () => {
    expect(decide(['*'], 'evil.example')).toBe('allowed');
  });
});

describe('a service on its own listener', () => {
  const served = (host: string, ...listed: string[]) => servedHosts({ host, port: 1 }, listed);

  it('answers to loopback names on a loopback address, to any elsewhere, or to those listed', async () => {
    expect(await served('127.0.0.1')).toEqual([]);
    expect(await served('::1', 'app.example')).toEqual(['app.example']);
    expect(await served('localhost', 'app.example')).toEqual(['localhost', 'app.example']);
    expect(await served('')).toBeUndefined();
    expect(await served('0.0.0.0')).toBeUndefined();
    expect(await served('0.0.0.0', 'app.example')).toEqual(['app.example']);
  });
});
