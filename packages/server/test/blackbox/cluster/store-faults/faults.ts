import { freePort } from '@msg/testkit';
import type { FaultProxy, RedisServer } from '@msg/testkit/redis';

/** The store of two nodes, which reach it through the proxy. */
export interface FaultyStore {
  readonly redis: RedisServer;
  readonly proxy: FaultProxy;
}

/** One row of the matrix: what is broken, and what nodes, callers and clients notice. */
export interface StoreFault {
  readonly name: string;
  strike(store: FaultyStore): Promise<void>;
  mend(store: FaultyStore): Promise<void>;
  /** What `/readyz` says of the store; absent: the nodes stay ready. */
  readonly detail?: RegExp;
  /** What callers are told whose publish was certainly not carried out; absent: not every fault leads to one. */
  readonly refusal?: RegExp;
  /** The store still answers reads. */
  readonly refusesOnlyWrites?: boolean;
  /** Some answers are lost: nobody knows whether those publishes were carried out. */
  readonly losesAnswers: boolean;
  /** The data is gone: every client is told. Else nothing is lost or doubled. */
  readonly losesData: boolean;
}

const SILENT = /does not answer$/;

/** Everything that goes wrong between the nodes and their Redis. */
export const STORE_FAULTS: readonly StoreFault[] = [
  {
    name: 'out of memory',
    strike: async ({ redis }) => void (await redis.command('CONFIG', 'SET', 'maxmemory', 1)),
    mend: async ({ redis }) => void (await redis.command('CONFIG', 'SET', 'maxmemory', 0)),
    detail: /refuses writes: OOM, it is out of memory$/,
    refusal: /^the shared store refuses the command: OOM, it is out of memory$/,
    refusesOnlyWrites: true,
    losesAnswers: false,
    losesData: false,
  },
  {
    name: 'read-only',
    // A replica of a master that is not there: it keeps its data and takes no writes.
    strike: async ({ redis }) => void (await redis.command('REPLICAOF', '127.0.0.1', await freePort())),
    mend: async ({ redis }) => void (await redis.command('REPLICAOF', 'NO', 'ONE')),
    detail: /refuses writes: READONLY, it is a read-only replica$/,
    refusal: /^the shared store refuses the command: READONLY, it is a read-only replica$/,
    refusesOnlyWrites: true,
    losesAnswers: true, // of what is under way when a node connects anew
    losesData: false,
  },
  {
    name: 'killed, and started again with its data',
    strike: ({ redis }) => redis.kill(),
    mend: ({ redis }) => redis.restart(),
    detail: SILENT,
    refusal: /^the shared store is not connected$/,
    losesAnswers: true,
    losesData: false,
  },
  {
    name: 'paused (SIGSTOP)',
    strike: async ({ redis }) => redis.pause(),
    mend: async ({ redis }) => redis.resume(),
    detail: SILENT,
    losesAnswers: true,
    losesData: false,
  },
  {
    name: 'behind a black hole',
    strike: async ({ proxy }) => {
      proxy.fault = 'blackhole';
    },
    mend: async ({ proxy }) => {
      proxy.fault = 'pass';
    },
    detail: SILENT,
    losesAnswers: true,
    losesData: false,
  },
  {
    name: '300 ms away',
    strike: async ({ proxy }) => {
      proxy.fault = { delayMs: 300 };
    },
    mend: async ({ proxy }) => {
      proxy.fault = 'pass';
    },
    losesAnswers: false,
    losesData: false,
  },
  {
    name: 'cut off from its clients (CLIENT KILL)',
    strike: async ({ redis }) => {
      await redis.command('CLIENT', 'KILL', 'TYPE', 'normal');
      await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    },
    mend: async () => {},
    losesAnswers: true,
    losesData: false,
  },
  {
    name: 'emptied (FLUSHALL)',
    strike: async ({ redis }) => void (await redis.command('FLUSHALL')),
    mend: async () => {},
    losesAnswers: false,
    losesData: true,
  },
];
