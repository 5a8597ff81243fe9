import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { HostileSocket } from '@msg/testkit/hostile';
import type { SeededRandom } from '../random.ts';

/** What a trick has at hand at the stage it begins at. */
export interface Situation {
  readonly socket: HostileSocket;
  /** The whole request. */
  readonly request: Buffer;
  /** What of it has not left. */
  readonly rest: Buffer;
  readonly random: SeededRandom;
}

/** What a peer does from a stage on. */
export interface Ending {
  readonly name: string;
  /**
   * What the server owes: nothing, since the peer is gone; the end of the connection at the stage's deadline; the
   * same, or an answer to every request that was sent.
   */
  readonly owes: 'nothing' | 'end' | 'answers';
  /** The peer itself says that nothing more comes. */
  readonly final?: boolean;
  /** It takes as long as the deadline: it is tried with the plain request alone. */
  readonly waits?: boolean;
  act(situation: Situation): Promise<void>;
}

/** Requests that a flood sends one after the other. */
export const FLOOD_REQUESTS = 64;
const DRIP_MS = 250;
const GARBAGE = Buffer.alloc(512, 0xff);

/** Between a stage and the blow: sometimes none, so that it meets every step of the server's answer. */
async function pause(random: SeededRandom): Promise<void> {
  const pauseMs = random.pick([-1, 0, 0, 1, 2, 5]);
  if (pauseMs === 0) await turn();
  else if (pauseMs > 0) await wait(pauseMs);
}

function copies(request: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: FLOOD_REQUESTS }, () => request));
}

export const ENDINGS: readonly Ending[] = [
  {
    name: 'reset',
    final: true,
    owes: 'nothing',
    async act({ socket, random }) {
      await pause(random);
      socket.reset();
    },
  },
  {
    name: 'close',
    final: true,
    owes: 'nothing',
    async act({ socket, random }) {
      await pause(random);
      socket.destroy();
    },
  },
  {
    name: 'half-close',
    final: true,
    owes: 'end',
    async act({ socket }) {
      socket.halfClose();
    },
  },
  {
    name: 'half-close, then reset',
    final: true,
    owes: 'nothing',
    async act({ socket, random }) {
      socket.halfClose();
      await pause(random);
      socket.reset();
    },
  },
  {
    name: 'garbage',
    owes: 'end',
    async act({ socket }) {
      await socket.sent(GARBAGE);
    },
  },
  {
    name: 'pipelined flood',
    owes: 'answers',
    async act({ socket, rest, request }) {
      await socket.sent(Buffer.concat([rest, copies(request)]));
    },
  },
  {
    name: 'flood, replies unread, then reset',
    final: true,
    owes: 'nothing',
    async act({ socket, rest, request, random }) {
      socket.stopReading();
      socket.send(Buffer.concat([rest, copies(request)]));
      await pause(random);
      socket.reset();
    },
  },
  { name: 'silence', owes: 'end', waits: true, async act() {} },
  {
    name: 'drip',
    owes: 'end',
    waits: true,
    async act({ socket, rest, request }) {
      // All but the last byte: of this request, or of a next one.
      const unfinished = (rest.length > 0 ? rest : request).subarray(0, -1);
      void socket.drip(unfinished, { intervalMs: DRIP_MS });
    },
  },
];
