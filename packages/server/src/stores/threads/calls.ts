import type { LifecycleEvent } from '../../channels/lifecycle-feed.ts';
import type { DeadLetter, ReplayFailure } from '../../notify/dead-letters/contract.ts';
import type { SubsystemStates } from '../subsystem-state.ts';

/** Names of the calls between the two ends of the stores (threads 3.1). */
export const StoreCall = {
  /** An operation of a store of main. */
  ask: 'stores.ask',
  /** The service of a thread listens to news. */
  started: 'stores.started',
  stopped: 'stores.stopped',
  /** Something of the process has changed. */
  news: 'stores.news',
  /** Main is about to sweep: notes what keeps channels open, and sends the activity of channels that waits on a thread. */
  flush: 'stores.flush',
  slice: 'stores.slice',
  endSlices: 'stores.slices.end',
  claim: 'stores.claim',
  endClaim: 'stores.claim.end',
} as const;

/** Kinds of records between the two ends of the stores. */
export const StoreKind = {
  /** A channel was active. */
  activity: 64,
  /** Hot questions: a decision about a rate, the record of a channel, a touch, the revocations of a token. */
  take: 65,
  get: 66,
  touch: 67,
  lookup: 68,
} as const;

/** The operations of main's stores that threads ask for with arguments and results that can be cloned. */
export const ASKED = {
  registry: [
    'openPublic',
    'createPrivate',
    'getAll',
    'list',
    'touch',
    'close',
    'delete',
    'announce',
    'forget',
    'sweep',
  ],
  redemptions: ['redeem', 'revokeFamily', 'isFamilyRevoked'],
  revocations: ['revokeToken', 'revokeUser'],
  deadLetters: ['push', 'list', 'slice', 'get', 'sizes', 'discard', 'update', 'hide', 'restore'],
  redriveJobs: ['begin', 'hold', 'save', 'release', 'take', 'isStopRequested', 'requestStop', 'list'],
  schemas: ['load', 'probe', 'step', 'replaceAll'],
  keyring: ['load', 'probe', 'save'],
  apiKeys: ['load', 'replace'],
  audit: ['append', 'list'],
  keyUsage: ['load', 'raise', 'forget'],
  consoleSessions: [
    ...(['create', 'get', 'change', 'count', 'countByKey', 'ofSubject', 'keepLogin', 'takeLogin'] as const),
  ],
} as const;

export type AskedStore = keyof typeof ASKED;

/** One operation. */
export interface Question {
  readonly store: AskedStore;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What has changed. */
export type News =
  | { readonly kind: 'channel'; readonly event: LifecycleEvent }
  | { readonly kind: 'health'; readonly health: SubsystemStates }
  | { readonly kind: 'keyring' | 'schemas' | 'apiKeys' | 'revoked' | 'reconnected' };

/** The next records of a listing; `cursor` 0 begins one. */
export interface SliceArguments {
  readonly cursor: number;
  readonly most: number;
}

/** A right to replay a letter, which main holds for a thread. */
export interface HeldClaim {
  readonly number: number;
  readonly letter: DeadLetter;
}

/** How a thread ends a right: with a failure, as a delivered letter, or without an attempt. */
export interface ClaimEnd {
  readonly number: number;
  readonly end: ReplayFailure | 'remove' | 'release';
}
