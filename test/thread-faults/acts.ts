import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Prng } from '../../packages/engine/test/model/prng.ts';
import type { Fault } from '../../packages/server/test/support/threads.ts';
import type { Traffic } from './traffic.ts';

/** What an act works on. */
export interface Scene {
  readonly url: string;
  readonly threads: number;
  readonly traffic: Traffic;
  /** The thread that the fault is of. */
  readonly thread: number;
  fail(thread: number, fault: Fault): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** A fault, and how many ends of threads it is made of. */
export interface Act {
  readonly name: string;
  /** Takes longer than the form of CI may. */
  readonly isLong?: true;
  ends(threads: number): number;
  play(scene: Scene): Promise<void>;
}

const STOPPED_MS = 40_000;
const HANDED_OVER = 200;
const BURST = 20;

const one = (): number => 1;
const none = (): number => 0;

function failing(fault: Fault): Act['play'] {
  return ({ fail, thread }) => fail(thread, fault);
}

export const ACTS: readonly Act[] = [
  { name: 'throw', ends: one, play: failing('throw') },
  { name: 'loop', isLong: true, ends: one, play: failing('loop') },
  { name: 'memory', ends: one, play: failing('memory') },
  { name: 'process.exit', ends: one, play: failing('exit') },
  { name: 'broken link', ends: one, play: failing('link') },
  { name: 'death during hand-over', ends: one, play: dieDuringHandOver },
  {
    name: 'three in one second',
    ends: threads => Math.min(threads, 3),
    async play({ fail, threads }) {
      const numbers = Array.from({ length: Math.min(threads, 3) }, (_, index) => index + 1);
      await Promise.all(numbers.map(number => fail(number, number % 2 === 0 ? 'exit' : 'throw')));
    },
  },
  { name: 'thread stalls 3 s', ends: none, play: failing('stall') },
  { name: 'main stalls 3 s', ends: none, play: ({ fail }) => fail(0, 'stall') },
  {
    name: 'SIGSTOP 40 s',
    isLong: true,
    ends: none,
    async play({ kill }) {
      kill('SIGSTOP');
      await pause(STOPPED_MS);
      kill('SIGCONT');
    },
  },
  {
    name: 'publishes in the up ring',
    ends: one,
    async play({ fail, thread, traffic }) {
      traffic.hurry(BURST);
      await fail(thread, 'throw');
    },
  },
];

/** These acts in an order that the seed chooses. */
export function inOrderOf(seed: number, acts: readonly Act[]): readonly Act[] {
  const prng = new Prng(seed);
  const places = acts.map(act => ({ act, place: prng.next() }));
  return places.sort((a, b) => a.place - b.place).map(({ act }) => act);
}

/** Connections come while their thread dies. */
async function dieDuringHandOver({ url, fail, thread }: Scene): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  try {
    for (let opened = 0; opened < HANDED_OVER; opened++) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {}); // its thread ended
      sockets.push(socket);
      if (opened === HANDED_OVER / 2) await Promise.all([once(socket, 'connect'), fail(thread, 'throw')]);
    }
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}
