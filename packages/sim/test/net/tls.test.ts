import { describe, expect, it } from 'vitest';
import { Kernel } from '../../src/kernel/kernel.ts';
import { during } from '../../src/kernel/running.ts';
import { lookup } from '../../src/net/names.ts';
import { networkOf } from '../../src/net/network.ts';
import { acceptTls, connectTls, type SimTlsSocket } from '../../src/net/tls.ts';

const HOST = 'push.example';
const ADDRESS = '11.0.0.1';

/** A server that shows a certificate and repeats what it gets, and a client that connects. */
async function play(
  certificate: string,
  client: (socket: SimTlsSocket) => void,
  name: string = HOST,
): Promise<Kernel> {
  const kernel = new Kernel({ seed: 'tls' });
  const network = networkOf(kernel);
  network.name(HOST, [ADDRESS]);
  for (const known of [HOST, 'other.example']) network.certificates.add(known);
  await during(kernel, async () => {
    kernel.at(0, kernel.actor('server'), 'test', () => {
      network.listen(ADDRESS, 443, raw => {
        const socket = acceptTls(raw, certificate);
        socket.on('error', () => {});
        socket.pipe(socket);
      });
    });
    kernel.at(1, kernel.actor('ann'), 'test', () => client(connectTls({ host: name, port: 443, lookup })));
    await kernel.run();
  });
  return kernel;
}

describe('TLS in a run', () => {
  it('passes what is written before and after the handshake, whole and in order', async () => {
    let heard = '';
    const text = Array.from({ length: 500 }, (_, i) => `${i},`).join('');
    const kernel = await play(HOST, socket => {
      socket.write(text);
      socket.on('secureConnect', () => socket.end(text));
      socket.on('data', (bytes: Buffer) => {
        heard += bytes.toString();
      });
    });
    expect(kernel.failure).toBeUndefined();
    expect(heard).toBe(text + text);
  });

  it.each([
    ['of another name', 'other.example', HOST, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that the world did not make', 'unknown.example', HOST, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['because the name is not known', HOST, 'nowhere.example', 'ENOTFOUND'],
    ['because the name is an address without a listener', HOST, '11.0.0.9', 'ECONNREFUSED'],
  ])('refuses a certificate, or a connection, %s', async (_, certificate, name, code) => {
    const codes: unknown[] = [];
    await play(
      certificate,
      socket => {
        socket.on('secureConnect', () => codes.push('secure'));
        socket.on('error', (error: Error & { code?: string }) => codes.push(error.code));
      },
      name,
    );
    expect(codes).toEqual([code]);
  });
});
