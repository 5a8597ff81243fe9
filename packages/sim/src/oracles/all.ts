import { lostTailIsTold } from './e1-lost-tail.ts';
import { noGap } from './o1-no-gap.ts';
import { noneTwice } from './o2-none-twice.ts';
import { sameBytes } from './o3-same-bytes.ts';
import { recoveredWhenTrue } from './o5-recovered-when-true.ts';
import { unrecoveredWhenLost } from './o6-unrecovered-when-lost.ts';
import { oneOrder } from './o8-one-order.ts';
import { acknowledged } from './o9-acknowledged.ts';
import { repeatedOnce } from './o10-repeated-once.ts';
import { noEndFromThinAir } from './o11-no-end-from-thin-air.ts';
import { newestValue } from './o12-newest-value.ts';
import { filtered } from './o14-filtered.ts';
import { orderWithoutRecovery } from './o15-order-without-recovery.ts';
import { redeemedOnce } from './o19-redeemed-once.ts';
import { keysKept } from './o20-keys-kept.ts';
import { lifecycle } from './o21-lifecycle.ts';
import { presenceIsTrue } from './o23-presence.ts';
import { joinsAndLeaves } from './o24-joins-and-leaves.ts';
import { rateLimit } from './o27-rate-limit.ts';
import { liveness } from './o29-liveness.ts';
import { toldToStop } from './o38-told-to-stop.ts';
import { outboxOnce } from './o41-outbox-once.ts';
import { outboxOrder } from './o42-outbox-order.ts';
import { pushEnds } from './o43-push.ts';
import { outboxLease } from './o44-outbox-lease.ts';
import { epochKept } from './o45-epoch-kept.ts';
import type { Observations, Oracle, Violation } from './observations.ts';

/** Every oracle. */
export const ORACLES: readonly Oracle[] = [
  noGap,
  noneTwice,
  sameBytes,
  recoveredWhenTrue,
  unrecoveredWhenLost,
  oneOrder,
  acknowledged,
  repeatedOnce,
  noEndFromThinAir,
  newestValue,
  filtered,
  orderWithoutRecovery,
  redeemedOnce,
  keysKept,
  lifecycle,
  presenceIsTrue,
  joinsAndLeaves,
  rateLimit,
  liveness,
  toldToStop,
  outboxOnce,
  outboxOrder,
  pushEnds,
  outboxLease,
  epochKept,
  lostTailIsTold,
];

/** What all oracles find in a run. */
export function judged(observations: Observations): readonly Violation[] {
  return ORACLES.flatMap(oracle => oracle.judge(observations));
}

/** A broken promise may be broken thousands of times. */
const MOST_OF_EACH = 20;

/** Of each oracle the first violations. */
export function firstOfEach(violations: readonly Violation[]): readonly Violation[] {
  return Object.values(Object.groupBy(violations, ({ oracle }) => oracle)).flatMap((same = []) =>
    same.slice(0, MOST_OF_EACH),
  );
}

/** The sentence that the oracle of a violation proves. */
export function promiseOf(oracle: string | undefined): string {
  return ORACLES.find(({ id }) => id === oracle)?.promise ?? 'no error escapes';
}
