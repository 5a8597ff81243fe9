import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Disconnect, type InProcessConnection, type Limits, RealtimeNode } from '@msg/engine';
import { type AttachedThread, threadHost } from '@msg/engine/threads';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Prng } from '../model/prng.ts';
import type { BoundsAnswer, BoundsData, BoundsRequest } from './bounds-worker.ts';
import { THREAD_FLAGS } from './two-threads.ts';

const NODE_FULL = 3001;
const TOO_MANY = 3504;
/** The bound of a churn, and the most that is taken at once. */
const CHURN = { most: 1000, atOnce: 400 };

/** A thread with a node, and main's end of its link. */
class Thread {
  readonly #worker: Worker;
  readonly #attached: AttachedThread;

  private constructor(worker: Worker, attached: AttachedThread) {
    this.#worker = worker;
    this.#attached = attached;
  }

  static async start(attached: AttachedThread, limits: Partial<Limits>): Promise<Thread> {
    const { link, transferList } = attached;
    const workerData: BoundsData = { link, limits };
    const worker = new Worker(new URL('./bounds-worker.ts', import.meta.url), {
      workerData,
      transferList: [...transferList],
      execArgv: THREAD_FLAGS,
    });
    await once(worker, 'message');
    return new Thread(worker, attached);
  }

  async ask(request: BoundsRequest): Promise<BoundsAnswer> {
    const answered = once(this.#worker, 'message');
    this.#worker.postMessage(request);
    const [answer] = (await answered) as [BoundsAnswer];
    return answer;
  }

  connect(user = '', address = ''): Promise<BoundsAnswer> {
    return this.ask({ kind: 'connect', user, address });
  }

  /** Ends it at any point of its program. */
  async end(): Promise<void> {
    await this.#worker.terminate();
    await this.#attached.detach();
  }
}

/** Main and some threads of one process, each with a node. */
class Process {
  readonly #limits: Partial<Limits>;
  readonly host = threadHost({ nodeId: 'p' });
  readonly node: RealtimeNode;
  readonly threads: Thread[] = [];
  readonly #open: InProcessConnection[] = [];

  constructor(limits: Partial<Limits>) {
    this.#limits = limits;
    const policy = { connect: ({ token }: { token: string }) => ({ user: token }) };
    this.node = new RealtimeNode({ policy, limits, ...this.host.backends });
  }

  async start(threads: number): Promise<this> {
    await this.node.start();
    for (let number = 1; number <= threads; number++) await this.restart(number);
    return this;
  }

  /** Starts thread `number` anew. */
  async restart(number: number): Promise<void> {
    this.threads[number - 1] = await Thread.start(this.host.attach(number), this.#limits);
  }

  /** A connection of main's own node. */
  async connect(user = '', remoteAddress = ''): Promise<BoundsAnswer> {
    try {
      this.#open.push(await this.node.connect({ token: user, remoteAddress, onPush: () => {} }));
      return 'connected';
    } catch (error) {
      if (error instanceof Disconnect) return error.code;
      throw error;
    }
  }

  /** What main and all threads answer to the same request, in turns. */
  async everywhere(rounds: number, user = '', address = ''): Promise<BoundsAnswer[]> {
    const asked: Promise<BoundsAnswer>[] = [];
    for (let round = 0; round < rounds; round++) {
      asked.push(this.connect(user, address));
      // A thread answers one request after the other.
      const answers = this.threads.map(thread => thread.connect(user, address));
      asked.push(...answers);
      await Promise.all(answers);
    }
    return Promise.all(asked);
  }

  get counted(): number {
    return this.host.backends.bounds.totals.connections.all;
  }

  async stop(): Promise<void> {
    await Promise.all(this.threads.map(thread => thread.end()));
    await this.node.shutdown();
  }
}

const open: Process[] = [];
afterEach(async () => {
  for (const process of open.splice(0)) await process.stop();
});

async function start(threads: number, limits: Partial<Limits>): Promise<Process> {
  const process = await new Process(limits).start(threads);
  open.push(process);
  return process;
}

const connected = (answers: readonly BoundsAnswer[]): number =>
  answers.filter(answer => answer === 'connected').length;

describe.each([2, 3])('limits over main and %s threads', threads => {
  it('let in as many connections as one node does, and answer all others as it does', async () => {
    const process = await start(threads, { connections: 10 });
    const answers = await process.everywhere(5);
    expect(connected(answers)).toBe(10);
    expect(new Set(answers)).toEqual(new Set(['connected', NODE_FULL]));
    const [first] = process.threads;
    await first?.ask({ kind: 'closeOne' });
    await eventually('the place is free', () => process.counted === 9);
    expect(await process.connect()).toBe('connected');
    expect(await first?.connect()).toBe(NODE_FULL);
  });

  it.each([
    ['of a user', { connectionsPerUser: 3 }, 'ann', ''],
    ['of an address', { connectionsPerAddress: 3 }, '', '192.0.2.1'],
    ['of a user and an address', { connectionsPerUser: 3, connectionsPerAddress: 4 }, 'ann', '192.0.2.1'],
  ] as const)('let in as many connections %s as one node does', async (_, limits, user, address) => {
    const process = await start(threads, limits);
    const answers = await process.everywhere(3, user, address);
    expect(connected(answers)).toBe(3);
    expect(new Set(answers)).toEqual(new Set(['connected', TOO_MANY]));
    // Another one is counted apart, and a thread that ends gives back what it held.
    expect(await process.connect('bob', '192.0.2.2')).toBe('connected');
    const held = process.threads.length;
    await process.threads[held - 1]?.end();
    await process.restart(held);
    const next = await process.everywhere(3, user, address);
    const lost = connected(answers.filter((_answer, at) => at % (threads + 1) === held));
    expect(connected(next)).toBe(lost);
  });

  it('have room for what a thread held as soon as main knows that it has ended', async () => {
    const process = await start(threads, { connections: 6 });
    for (let count = 0; count < 6; count++) expect(await process.threads[0]?.connect()).toBe('connected');
    expect(await process.threads[1]?.connect()).toBe(NODE_FULL);
    await process.threads[0]?.end();
    expect(process.counted).toBe(0);
    await process.restart(1);
    expect(connected(await process.everywhere(4))).toBe(6);
  });
});

describe('a total of three threads that take and give at random', () => {
  const seed = Number(globalThis.process.env['MSG_TEST_SEED'] ?? Date.now() % 2 ** 31);

  it('is used up to its bound and never beyond', async () => {
    const prng = new Prng(seed);
    const { threads, host } = await start(3, {});
    const granted = new Int32Array(new SharedArrayBuffer(4));
    const churns = threads.map(thread =>
      thread.ask({ kind: 'churn', seed: prng.next(), rounds: 50_000, granted, ...CHURN }),
    );
    const highest = (await Promise.all(churns)).map(Number);
    expect(Math.max(...highest), `seed ${seed}`).toBeLessThanOrEqual(CHURN.most);
    expect(Math.max(...highest), `seed ${seed}`).toBeGreaterThan(CHURN.most - CHURN.atOnce);
    expect(host.backends.bounds.totals.bodies.all, `seed ${seed}`).toBe(0);
  });

  it('is what its living holders hold, wherever in their programs threads end', async () => {
    const prng = new Prng(seed);
    const process = await start(3, {});
    const { bodies } = process.host.backends.bounds.totals;
    const granted = new Int32Array(new SharedArrayBuffer(4));
    for (let round = 0; round < 12; round++) {
      const number = prng.between(1, 3);
      const churn = (rounds: number): BoundsRequest => ({
        kind: 'churn',
        seed: prng.next(),
        rounds,
        granted,
        ...CHURN,
      });
      await process.threads[number - 1]?.ask(churn(Number.POSITIVE_INFINITY));
      const others = process.threads.filter((_, at) => at !== number - 1);
      await Promise.all(others.map(thread => thread.ask(churn(prng.between(1, 5000)))));
      await process.threads[number - 1]?.end();
      expect(bodies.all, `seed ${seed}, round ${round}`).toBe(0);
      await process.restart(number);
    }
  });
});
