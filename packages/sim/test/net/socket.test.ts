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
      socket.on('error', () => {});
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

  it('is connected by the machine of a process that stands still, which takes it later', async () => {
    const events: string[] = [];
    await play(({ kernel, accepted, client, server }, socket) => {
      const note = (event: string): void =>
        void events.push(`${event} ${Math.floor(kernel.nowUs / 1_000_000)} s`);
      client(0.5, () => kernel.pause(kernel.actor('node')));
      client(2, () => {
        socket().on('connect', () => note('connected'));
        socket().write('hello');
      });
      client(5000, () => kernel.resume(kernel.actor('node')));
      server(5001, () => accepted[0]?.on('data', (bytes: Buffer) => note(bytes.toString())));
    });
    expect(events).toEqual(['connected 0 s', 'hello 5 s']);
  });

  it('is refused when the listener dies on its way, and reset when it dies before it takes it', async () => {
    const codes: string[] = [];
    const note = (socket: SimSocket): void => void socket.on('error', ({ message }) => codes.push(message));
    await play(({ kernel, client }, socket) => {
      const node = kernel.actor('node');
      client(1.05, () => {
        note(socket());
        kernel.kill(node);
      });
    });
    await play(({ kernel, accepted, client }, socket) => {
      const node = kernel.actor('node');
      client(0.5, () => kernel.pause(node));
      client(2, () => note(socket()));
      client(5000, () => {
        kernel.kill(node);
        expect(accepted).toHaveLength(0);
      });
    });
    expect(codes).toEqual(['connect ECONNREFUSED', 'read ECONNRESET']);
  });

  it.each([
    ['whose process has closed it', false],
    ['whose process is gone since it closed it', true],
  ])('is reset when it writes to an end %s', async (_, isKilled) => {
    const events: string[] = [];
    await play(({ kernel, accepted, client, server }) => {
      let half: SimSocket | undefined;
      client(2, () => {
        half = networkOf(kernel).connect(new SimSocket({ allowHalfOpen: true }), 'node', 80);
        half.on('error', ({ message }) => events.push(message));
        half.on('end', () => events.push('end'));
        half.resume();
      });
      server(1000, () => accepted.at(-1)?.destroy());
      client(2000, () => {
        if (isKilled) kernel.kill(kernel.actor('node'));
        events.push('writes');
      });
      client(3000, () => void half?.write('to nobody'));
    });
    expect(events).toEqual(['end', 'writes', 'read ECONNRESET']);
  });

  it('is reset when its bytes are under way and the process that closed the other end dies', async () => {
    const events: string[] = [];
    await play(({ kernel, accepted, client, server }) => {
      let half: SimSocket | undefined;
      client(2, () => {
        half = networkOf(kernel).connect(new SimSocket({ allowHalfOpen: true }), 'node', 80);
        half.on('error', ({ message }) => events.push(message));
        half.resume();
      });
      server(1000, () => accepted.at(-1)?.destroy());
      client(2000, () => {
        half?.write('on its way');
        kernel.kill(kernel.actor('node'));
      });
    });
    expect(events).toEqual(['read ECONNRESET']);
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
