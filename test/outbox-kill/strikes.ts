import type { Moment } from './points.ts';

/** What can be killed. */
export type Victim = 'writer' | 'worker' | 'node' | 'postgres' | 'redis';
/** A connection that passes a proxy, named by its ends. */
export type Line = 'writer-postgres' | 'worker-postgres' | 'node-postgres' | 'worker-node' | 'node-redis';

/** One stroke of bad luck. */
export type Strike =
  | { readonly name: string; readonly victim: Victim; readonly line: Line; readonly moment: Moment }
  | { readonly name: string; readonly victim: Victim; readonly line?: never; readonly moment?: never }
  /** Nobody dies. */
  | { readonly name: string; readonly network: 'cut' | 'delay' };

/** The steps of a row's way that a line sees. */
const STEPS: readonly {
  readonly line: Line;
  readonly step: string;
  readonly request: string;
  readonly answer?: string;
}[] = [
  { line: 'writer-postgres', step: 'insert', request: '.publish(' },
  { line: 'writer-postgres', step: 'commit', request: 'COMMIT' },
  // Only a claim that got rows.
  { line: 'worker-postgres', step: 'claim', request: '.outbox_claim_batch(', answer: 'public:shop.' },
  { line: 'worker-postgres', step: 'settle', request: '.outbox_settle_batch(' },
  { line: 'node-postgres', step: 'claim', request: '.outbox_claim_batch(', answer: 'public:shop.' },
  { line: 'node-postgres', step: 'settle', request: '.outbox_settle_batch(' },
  { line: 'worker-node', step: 'publish', request: '/PublishMany' },
  // The epoch of its versions is in the command that stores a publication.
  { line: 'node-redis', step: 'publish', request: 'outbox:' },
];

const AT_POINTS: readonly Strike[] = STEPS.flatMap(({ line, step, request, answer }) =>
  (['sent', 'answered'] as const).flatMap(when =>
    (line.split('-') as Victim[]).map(victim => ({
      name: `${victim} when ${line}: ${step} ${when}`,
      victim,
      line,
      moment: { request, when, ...(answer === undefined ? {} : { answer }) },
    })),
  ),
);

const AT_RANDOM: readonly Strike[] = (['writer', 'worker', 'node', 'postgres', 'redis'] as const).map(
  victim => ({ name: `${victim} at random`, victim }),
);

const OF_THE_NETWORK: readonly Strike[] = (['cut', 'delay'] as const).map(network => ({
  name: `network: ${network}`,
  network,
}));

/** Every stroke once. */
export const STRIKES: readonly Strike[] = [...AT_POINTS, ...AT_RANDOM, ...OF_THE_NETWORK];
