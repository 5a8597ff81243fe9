// A node of a process with limits, and a thread that takes and gives at random.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Disconnect, type InProcessConnection, type Limits, RealtimeNode } from '@msg/engine';
import { type ThreadLink, threadBackends } from '@msg/engine/threads';
import { Prng } from '../model/prng.ts';

/** What a thread is given. */
export interface BoundsData {
  readonly link: ThreadLink;
  readonly limits: Partial<Limits>;
}

/** What main asks of a thread. */
export type BoundsRequest =
  | { readonly kind: 'connect'; readonly user: string; readonly address: string }
  | { readonly kind: 'closeOne' }
  /** Takes at most `atOnce` and gives, so often; endless: until the thread is ended. All together hold at most `most`. */
  | ({ readonly kind: 'churn' } & Churn);

interface Churn {
  readonly seed: number;
  readonly rounds: number;
  readonly most: number;
  readonly atOnce: number;
  /** What the threads were granted and have not given back. */
  readonly granted: Int32Array;
}

/** Connected, refused with a code, closed; of a churn: the most that all held. */
export type BoundsAnswer = number | 'connected' | 'closed';

const { link, limits } = workerData as BoundsData;
const main = parentPort as MessagePort;
const { backends } = threadBackends(link);
const { bodies } = backends.bounds.totals;
const node = new RealtimeNode({ policy: { connect: ({ token }) => ({ user: token }) }, limits, ...backends });
const open: InProcessConnection[] = [];

async function connect(user: string, remoteAddress: string): Promise<BoundsAnswer> {
  try {
    open.push(await node.connect({ token: user, remoteAddress, onPush: () => {} }));
    return 'connected';
  } catch (error) {
    if (error instanceof Disconnect) return error.code;
    throw error;
  }
}

/** @returns the most that all threads were granted at one moment */
function churn({ seed, rounds, most, atOnce, granted }: Churn): number {
  const prng = new Prng(seed);
  const held: number[] = [];
  let highest = 0;
  const give = (amounts: readonly number[]): void => {
    for (const amount of amounts) {
      Atomics.sub(granted, 0, amount);
      bodies.give(amount);
    }
  };
  for (let round = 0; round < rounds; round++) {
    const amount = prng.between(1, atOnce);
    if (bodies.take(amount, most)) {
      held.push(amount);
      highest = Math.max(highest, Atomics.add(granted, 0, amount) + amount);
    } else give(held.splice(prng.between(0, held.length)));
  }
  give(held);
  return highest;
}

main.on('message', async (request: BoundsRequest) => {
  if (request.kind === 'connect') main.postMessage(await connect(request.user, request.address));
  else if (request.kind === 'closeOne') {
    open.shift()?.disconnect();
    main.postMessage('closed' satisfies BoundsAnswer);
  } else {
    if (request.rounds === Number.POSITIVE_INFINITY) main.postMessage('closed');
    main.postMessage(churn(request));
  }
});
await node.start();
main.postMessage('connected' satisfies BoundsAnswer);
