import { describe, expect, it } from 'vitest';
import { Kernel, SimulatorError } from '../../src/kernel/kernel.ts';
import { during } from '../../src/kernel/running.ts';
import { networkOf } from '../../src/net/network.ts';
import { SimSocket } from '../../src/net/socket.ts';

interface Scene {
  readonly kernel: Kernel;
  readonly accepted: SimSocket[];
  /** Runs as the client, after a while. */
  client(atMs: number, run: () => void): void;
  server(atMs: number, run: () => void): void;
}

/** A server that accepts everything, and a client with a socket; plays what `script` schedules. */
async function play(script: (scene: Scene, socket: () => SimSocket) => void, seed = 'net'): Promise<Kernel> {
  const kernel = new Kernel({ seed });
  const [ann, node] = [kernel.actor('ann'), kernel.actor('node')];
  const accepted: SimSocket[] = [];
  let socket: SimSocket | undefined;
  const scene: Scene = {
    kernel,
    accepted,
    client: (atMs, run) => kernel.at(atMs, ann, 'test', run),
    server: (atMs, run) => kernel.at(atMs, node, 'test', run),
  };
  await during(kernel, async () => {
    scene.server(0, () => {
      networkOf(kernel).listen('node', 80, incoming => {
        incoming.on('error', () => {});
        accepted.push(incoming);
      });
    });
    scene.client(1, () => {
      socket = networkOf(kernel).connect(new SimSocket(), 'node', 80);
    });
    script(scene, () => socket as SimSocket); // made at 1 ms, before any script runs
    await kernel.run();
  });
  return kernel;
}

describe('a socket', () => {
  it('delivers what is written whole and in order, before and after the connection is there, and closes by halves', async () => {
    let received = '';
    let answered = '';
    await play(({ accepted, client, server }, socket) => {
      client(2, () => {
        socket().on('data', (bytes: Buffer) => {
          answered += bytes.toString();
        });
        for (let i = 0; i < 500; i++) socket().write(`${i},`);
        socket().end();
      });
      server(1000, () => {
        const [incoming] = accepted;
        incoming?.on('data', (bytes: Buffer) => {
          received += bytes.toString();
        });
        incoming?.on('end', () => incoming.end('until the end'));
      });
    });
    expect(received).toBe(Array.from({ length: 500 }, (_, i) => `${i},`).join(''));
    expect(answered).toBe('until the end');
  });

  it('holds a writer back while nobody reads, and loses nothing', async () => {
    const size = 600 * 1024;
    let readWhenAccepted = 0;
    let read = 0;
    const kernel = await play(({ accepted, client, server }, socket) => {
      client(100, () => {
        socket().write(Buffer.alloc(size, 1), () => {
          readWhenAccepted = read;
        });
      });
      server(5000, () => {
        accepted[0]?.on('data', (bytes: Buffer) => {
          read += bytes.length;
        });
      });
    });
    expect(kernel.failure).toBeUndefined();
    expect(read).toBe(size);
    expect(readWhenAccepted).toBeGreaterThan(0);
  });

  it('hears of a reset as ECONNRESET, and of nobody there as ECONNREFUSED', async () => {
    const codes: unknown[] = [];
    await play(({ accepted, client, server, kernel }, socket) => {
      client(2, () => {
        socket().on('error', ({ message }: Error) => codes.push(message));
        const nowhere = networkOf(kernel).connect(new SimSocket(), 'elsewhere', 80);
        nowhere.on('error', ({ message }: Error) => codes.push(message));
      });
      server(1000, () => accepted[0]?.resetAndDestroy());
    });
    expect(codes.toSorted()).toEqual(['connect ECONNREFUSED', 'read ECONNRESET']);
  });

  it('gets after a stall what was sent in it, and nothing after silence', async () => {
    const arrivals: string[] = [];
    await play(({ accepted, client, server, kernel }, socket) => {
      server(1000, () => {
        accepted[0]?.on('data', (bytes: Buffer) => arrivals.push(`${bytes} ${kernel.nowUs > 9_000_000}`));
        networkOf(kernel).stall(kernel.actor('ann'), 8000);
      });
      client(2000, () => void socket().write('a'));
      client(30_000, () => void socket().write('c'));
      client(20_000, () => {
        networkOf(kernel).silence(kernel.actor('ann'));
        socket().write('b');
        networkOf(kernel).stall(kernel.actor('ann'), 10);
      });
    });
    expect(arrivals).toEqual(['a true']);
  });

  it('may not be touched by another actor', async () => {
    const kernel = await play(({ server }, socket) => {
      server(1000, () => void socket().write('x'));
    });
    expect(kernel.failure).toBeInstanceOf(SimulatorError);
    expect(String(kernel.failure)).toContain('node writes to a socket of ann');
  });

  it('refuses members of net.Socket that it lacks', async () => {
    const kernel = await play(({ client }, socket) => {
      client(1000, () => void (socket() as unknown as { bufferSize: unknown }).bufferSize);
    });
    expect(String(kernel.failure)).toContain('SIM_NOT_SIMULATED: net.Socket.');
  });
});
