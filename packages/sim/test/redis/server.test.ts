import { describe, expect, it } from 'vitest';
import { Kernel } from '../../src/kernel/kernel.ts';
import { during } from '../../src/kernel/running.ts';
import { networkOf } from '../../src/net/network.ts';
import { SimSocket } from '../../src/net/socket.ts';
import { type Persistence, RedisServer } from '../../src/redis/server.ts';

interface Scene {
  readonly server: RedisServer;
  /** Sends a line at a moment, over a connection of its own, and keeps the answer and the end. */
  send(atMs: number, line: string): { text: string };
  /** Something outside of the server, at a moment. */
  at(atMs: number, run: () => void): void;
}

/** A server and callers on the simulated network; plays what `script` schedules. */
async function play(script: (scene: Scene) => void): Promise<void> {
  const kernel = new Kernel({ seed: 'redis' });
  await during(kernel, async () => {
    const server = new RedisServer(kernel, { name: 'redis', host: '12.0.0.1', port: 6379 });
    server.startAt(0);
    const world = kernel.actor('world');
    script({
      server,
      send: (atMs, line) => sent(kernel, atMs, line),
      at: (atMs, run) => kernel.at(atMs, world, 'fault', run),
    });
    await kernel.run();
  });
  expect(kernel.failure).toBeUndefined();
}

function sent(kernel: Kernel, atMs: number, line: string): { text: string } {
  const answer = { text: '' };
  kernel.at(atMs, kernel.actor(`caller at ${atMs}`), 'call', () => {
    const socket = networkOf(kernel).connect(new SimSocket(), '12.0.0.1', 6379);
    socket.on('data', (bytes: Buffer) => {
      answer.text += bytes.toString('latin1');
    });
    socket.on('error', (error: Error) => {
      answer.text += `<${error.message}>`;
    });
    socket.on('end', () => {
      answer.text += '<end>';
    });
    socket.write(`${line}\r\n`);
  });
  return answer;
}

describe('a server on the simulated network', () => {
  it('answers over sockets and ends them after QUIT', async () => {
    let answer = { text: '' };
    await play(({ send }) => {
      send(10, 'SET key text');
      answer = send(1000, 'GET key\r\nQUIT');
    });
    expect(answer.text).toBe('$4\r\ntext\r\n+OK\r\n<end>');
  });

  it.each([
    ['always', '$4\r\ntext\r\n', '$4\r\nlate\r\n'],
    ['everysec', '$4\r\ntext\r\n', '$-1\r\n'],
    ['no', '$-1\r\n', '$-1\r\n'],
  ] as const)('keeps after a kill what its disk has: %s', async (persistence: Persistence, old, last) => {
    const answers: { text: string }[] = [];
    await play(({ server, send, at }) => {
      send(10, 'SET key text');
      send(4900, 'SET last late');
      at(5000, () => server.restart({ afterMs: 500, persistence }));
      answers.push(send(5200, 'PING'), send(7000, 'GET key'), send(7100, 'GET last'));
    });
    expect(answers.map(({ text }) => text)).toEqual(['<connect ECONNREFUSED>', old, last]);
  });

  it('resets connections when it dies, and answers LOADING for a while', async () => {
    const answers: { text: string }[] = [];
    await play(({ server, send, at }) => {
      answers.push(send(10, 'SUBSCRIBE news'));
      at(1000, () => server.restart({ afterMs: 100, persistence: 'always', loadingMs: 2000 }));
      answers.push(send(2000, 'GET key'), send(4000, 'GET key'));
    });
    expect(answers.map(({ text }) => text)).toEqual([
      '*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n<read ECONNRESET>',
      '-LOADING Redis is loading the dataset in memory\r\n',
      '$-1\r\n',
    ]);
  });

  it('refuses writes for a while, loses messages and does what an operator asks', async () => {
    const answers: { text: string }[] = [];
    const readonly = "READONLY You can't write against a read only replica.";
    await play(({ server, send, at }) => {
      send(10, 'SET key text');
      answers.push(send(500, 'SUBSCRIBE news'));
      at(1000, () => {
        server.refuse(readonly, 'writes', 1000);
        server.loseMessages(100, 1000);
      });
      answers.push(send(1500, 'DEL key\r\nGET key\r\nPUBLISH news lost'));
      answers.push(send(3000, 'DEL other\r\nPUBLISH news heard'));
      at(4000, () => server.operate('FLUSHALL'));
      at(4000, () => server.operate('CLIENT', 'KILL', 'TYPE', 'pubsub'));
      answers.push(send(5000, 'GET key'));
    });
    expect(answers.map(({ text }) => text)).toEqual([
      '*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nheard\r\n<end>',
      `-${readonly}\r\n$4\r\ntext\r\n:1\r\n`,
      ':0\r\n:1\r\n',
      '$-1\r\n',
    ]);
  });

  it('runs commands later while it is slow, in their order', async () => {
    let answer = { text: '' };
    let early = '';
    await play(({ server, send, at }) => {
      server.lateMs = 2000;
      answer = send(10, 'SET key 1\r\nINCR key');
      at(1900, () => {
        early = answer.text;
      });
    });
    expect([early, answer.text]).toEqual(['', '+OK\r\n:2\r\n']);
  });
});
