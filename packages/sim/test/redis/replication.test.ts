import { describe, expect, it } from 'vitest';
import { Kernel } from '../../src/kernel/kernel.ts';
import { during } from '../../src/kernel/running.ts';
import { networkOf } from '../../src/net/network.ts';
import { SimSocket } from '../../src/net/socket.ts';
import { type FailOver, ReplicatedSet } from '../../src/redis/replication/replicated-set.ts';

const SERVERS = ['one', 'two', 'three'].map(host => ({ host, port: 6379 }));
const SENTINELS = ['sentinel'].map(host => ({ host, port: 26_379 }));

const FAIL_OVER: FailOver = {
  heldMs: 0,
  old: 'demoted',
  detectedMs: 100,
  announcedMs: [500],
  backMs: 1000,
  staleMs: 0,
  isEmpty: false,
  keepsConnections: false,
};

/** A set, and what it told of itself. */
class Scene {
  readonly kernel = new Kernel({ seed: 'replication' });
  readonly told: string[] = [];
  readonly set = new ReplicatedSet(this.kernel, {
    servers: SERVERS,
    sentinels: SENTINELS,
    name: 'main',
    written: ({ args }, isKept) => this.told.push(`${isKept ? 'kept' : 'not kept'}: ${args.join(' ')}`),
    promoted: ({ place }, lost, isEmpty) =>
      this.told.push(
        `${place.host} without ${lost.map(({ args }) => args.join(' '))}${isEmpty ? ', empty' : ''}`,
      ),
    settled: () => this.told.push('settled'),
  });

  at(ms: number, run: () => void): void {
    this.kernel.at(ms, this.kernel.actor('world'), 'step', run);
  }

  /** Sends a line to a server at a moment, over a connection of its own, and keeps what comes back. */
  ask(ms: number, [host, port]: readonly [string, number], line: string): { text: string } {
    const answer = { text: '' };
    this.kernel.at(ms, this.kernel.actor(`caller at ${ms}`), 'call', () => {
      const socket = networkOf(this.kernel).connect(new SimSocket(), host, port);
      socket.on('data', (bytes: Buffer) => {
        answer.text += bytes.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.write(`${line}\r\n`);
    });
    return answer;
  }
}

async function play(script: (scene: Scene) => void): Promise<Scene> {
  const scene = new Scene();
  await during(scene.kernel, async () => {
    script(scene);
    await scene.kernel.run();
  });
  expect(scene.kernel.failure).toBeUndefined();
  return scene;
}

const ONE = ['one', 6379] as const;
const SENTINEL = ['sentinel', 26_379] as const;

describe('a master with replicas and Sentinels', () => {
  it('has at the promoted replica what had arrived there, and loses the rest', async () => {
    let answer = { text: '' };
    const { told, set } = await play(scene => {
      scene.ask(10, ONE, 'SET early 1');
      scene.at(500, () => scene.set.failOver({ ...FAIL_OVER, heldMs: 1000 }));
      scene.ask(800, ONE, 'SET late 1');
      scene.ask(5000, ONE, 'SET much-later 1');
      answer = scene.ask(6000, ONE, 'MGET early late\r\nSET a 1\r\nINFO');
    });
    expect(set.master.place.host).not.toBe('one');
    expect(told).toEqual([
      'kept: SET early 1',
      'kept: SET late 1',
      `${set.master.place.host} without SET late 1`,
      'settled',
    ]);
    expect(answer.text).toContain(
      "*2\r\n$1\r\n1\r\n$-1\r\n-READONLY You can't write against a read only replica.",
    );
    expect(answer.text).toContain('role:slave');
    expect(set.master.state.database(0)?.names()).toEqual(['early']);
  });

  it('has two masters while the old one is cut off from its replicas alone', async () => {
    const { told, set } = await play(scene => {
      scene.at(500, () => scene.set.failOver({ ...FAIL_OVER, old: 'cut off', backMs: 5000 }));
      scene.ask(2000, ONE, 'SET stale 1');
    });
    expect(told).toEqual([`${set.master.place.host} without `, 'not kept: SET stale 1', 'settled']);
    expect(set.master.state.database(0)?.names()).toEqual([]);
  });

  it('promotes a replica without data, and the old master takes that when it is back', async () => {
    let answer = { text: '' };
    const { told, set } = await play(scene => {
      scene.ask(10, ONE, 'SET early 1');
      scene.at(500, () => scene.set.failOver({ ...FAIL_OVER, old: 'dead', isEmpty: true }));
      answer = scene.ask(9000, ONE, 'GET early');
    });
    expect(told.slice(1)).toEqual([`${set.master.place.host} without , empty`, 'settled']);
    expect(answer.text).toBe('$-1\r\n');
  });

  it('names its master at a Sentinel, which tells of a change later', async () => {
    const answers: { text: string }[] = [];
    const question = 'SENTINEL get-master-addr-by-name main';
    const { set } = await play(scene => {
      scene.at(1000, () => scene.set.failOver(FAIL_OVER));
      answers.push(scene.ask(10, SENTINEL, 'SUBSCRIBE +switch-master'));
      answers.push(scene.ask(20, SENTINEL, question), scene.ask(1200, SENTINEL, question));
      answers.push(scene.ask(5000, SENTINEL, `${question}\r\nSENTINEL get-master-addr-by-name other`));
    });
    const { host } = set.master.place;
    const [heard, early, between, late] = answers.map(({ text }) => text);
    expect(heard).toContain(`main one 6379 ${host} 6379`);
    expect(early).toBe('*2\r\n$3\r\none\r\n$4\r\n6379\r\n');
    expect(between).toBe(early);
    expect(late).toBe(`*2\r\n$${host.length}\r\n${host}\r\n$4\r\n6379\r\n*-1\r\n`);
  });
});
