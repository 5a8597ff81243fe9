import type { LinkEnd } from '@msg/engine/threads';
import type { DeadLetterClaim, DeadLetterQueue, ReplayFailure } from '../../notify/dead-letters/contract.ts';
import { askedStore, callMain } from './asking.ts';
import { ASKED, type ClaimEnd, type HeldClaim, StoreCall } from './calls.ts';

type AskedOfLetters = (typeof ASKED.deadLetters)[number];

/**
 * The dead letters of main, for a thread. Main holds the rights to replay: those of a thread that ends are released.
 * `operations` are those of main's queue.
 */
export function threadDeadLetters(link: LinkEnd, operations: readonly string[]): DeadLetterQueue {
  const available = ASKED.deadLetters.filter(operation => operations.includes(operation));
  const asked = askedStore<DeadLetterQueue, AskedOfLetters>(link, 'deadLetters', available);
  return { ...asked, claim: id => claim(link, id) } as DeadLetterQueue; // main's queue has what is required
}

async function claim(link: LinkEnd, id: string): Promise<DeadLetterClaim | undefined> {
  const held = (await callMain(link, StoreCall.claim, id)) as HeldClaim | undefined;
  if (held === undefined) return undefined;
  const { number, letter } = held;
  const end = async (how: ClaimEnd['end']): Promise<void> => {
    const argument: ClaimEnd = { number, end: how };
    await callMain(link, StoreCall.endClaim, argument);
  };
  return {
    letter,
    remove: () => end('remove'),
    fail: (failure: ReplayFailure) => end(failure),
    release: () => end('release'),
  };
}
