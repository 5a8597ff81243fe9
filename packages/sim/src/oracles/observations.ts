import { digestOf } from '../kernel/event-log.ts';
import type { ChannelChange, KeyRecord, RateLimitRecord, Redemption } from './backend-observations.ts';
import type { CompanyRecord } from './company.ts';
import type { PushRecord } from './push.ts';

/** Longest text that is kept whole. */
const LONGEST_TEXT = 100;

/** What is kept of a payload: of a long one the beginning, its length and a digest. */
export function textOf(payload: unknown): string {
  const text = JSON.stringify(payload);
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… ${text.length} ${digestOf(Buffer.from(text))}`;
}

/** A publication as the service acknowledged it: the truth that clients are compared with. */
export interface Published {
  readonly atUs: number;
  readonly channel: string;
  readonly epoch: string;
  readonly offset: number;
  readonly text: string;
  /** From when on the store does not have it, because a fail-over lost it; absent: it was not lost so. */
  readonly lostUs?: number;
  /** How many masters its server had followed; absent: none. */
  readonly line?: number;
}

/** A replica was promoted: what it did not have is lost. */
export interface Fork {
  readonly atUs: number;
  /** Until then a server that was replaced took itself for the master. */
  readonly untilUs: number;
}

/** A stream got another epoch, and went on. */
export interface Renewal {
  readonly channel: string;
  readonly epoch: string;
  /** The epoch that it had. */
  readonly before: string;
  readonly atUs: number;
  /** The newest offset that it had. */
  readonly offset: number;
}

/** What one client's application saw of one channel. */
export type Seen = SubscribedEvent | PublicationEvent;

interface SeenBase {
  readonly client: string;
  readonly channel: string;
  readonly atUs: number;
}

/** The client was told that it is subscribed. */
export interface SubscribedEvent extends SeenBase {
  readonly kind: 'subscribed';
  /** When the attempt began that this answers: its connection or its subscribe, whichever was later. */
  readonly begunUs: number;
  readonly epoch: string;
  /** Of the stream, where the client does not recover. */
  readonly offset: number;
  readonly wasRecovering: boolean;
  readonly recovered: boolean;
}

export interface PublicationEvent extends SeenBase {
  readonly kind: 'publication';
  readonly offset: number;
  readonly text: string;
}

/** How subscribers of a channel recover. */
export type RecoveryMode = 'stream' | 'cache' | 'off';

/** What a channel keeps. */
export interface Retention {
  readonly size: number;
  readonly ttlMs: number;
}

/** Where a client is at the end of the run. */
export interface Rest {
  readonly client: string;
  readonly channel: string;
  readonly isSubscribed: boolean;
  /** The client stopped, because it was told that it had not connected in time: how long after it opened its socket. */
  readonly staleAfterUs?: number;
}

/** A subscription that the service ended while its client still wants it. */
export interface EndedSubscription {
  readonly client: string;
  readonly channel: string;
  readonly atUs: number;
  readonly code: number;
}

/** A connection that the service ended with a code after which its client does not come back by itself. */
export interface Stop {
  readonly client: string;
  /** When the attempt to connect began that ended so. */
  readonly begunUs: number;
  readonly atUs: number;
  readonly code: number;
}

/** A publication that the store has and a node that listens never heard, or heard twice. */
export interface Loss {
  readonly channel: string;
  readonly atUs: number;
  /** Others may have been lost until then. */
  readonly untilUs?: number;
}

/** A row of a transaction that the database committed. */
export interface CommittedRow {
  readonly id: number;
  readonly channel: string;
  readonly kind: 'publish' | 'publish_or_sink';
  /** The number of its transaction, in the order of the commits. */
  readonly commit: number;
  readonly atUs: number;
}

/** A row that is not tried again. */
export interface DeadRow {
  readonly row: number;
  readonly code: string;
  readonly atUs: number;
}

/** Something that a worker did. */
export interface WorkerAct {
  readonly worker: string;
  readonly atUs: number;
}

/** What the database knows of the outbox at the end. */
export interface OutboxRecord {
  readonly committed: readonly CommittedRow[];
  readonly dead: readonly DeadRow[];
  /** Ids of rows that are still to be published. */
  readonly waiting: readonly number[];
  /** Ids of rows that went to a sink. */
  readonly elsewhere?: readonly number[];
  /** When the database gave rows to a worker. */
  readonly leases: readonly WorkerAct[];
  /** When a worker called the service. */
  readonly requests: readonly WorkerAct[];
}

/** Everything that the oracles judge, in the order in which it happened. */
export interface Observations {
  readonly published: readonly Published[];
  readonly seen: readonly Seen[];
  readonly retention: Retention;
  /** Of each subscription that its client still wants. */
  readonly rests: readonly Rest[];
  readonly endUs: number;
  /** Absent: the world does not watch them. */
  readonly ends?: readonly EndedSubscription[];
  /** Absent: the world does not watch them. */
  readonly stops?: readonly Stop[];
  /** Absent: between its store and its node nothing is lost. */
  readonly losses?: readonly Loss[];
  /** From then on every node that listens hears everything in time; absent: the world does not promise it. */
  readonly hearsFromUs?: number;
  /** When the last of several nodes heard a publication; absent: there is one node. */
  readonly heardUs?: (publication: Published) => number;
  /** Absent: no publication reaches the node twice. */
  readonly doubled?: readonly Loss[];
  /** No two publications of a channel are meant to be equal. */
  readonly isPublishedOnce?: true;
  /** Of all channels; absent: `stream`. */
  readonly mode?: RecoveryMode;
  /** When all streams ended; absent: the world does not say. */
  readonly wipedAtUs?: readonly number[];
  readonly forks?: readonly Fork[];
  readonly renewals?: readonly Renewal[];
  /** Those lost by a fail-over that a node heard which has lived and listened ever since. */
  readonly remembered?: ReadonlySet<Published>;
  /** What the publisher was told, where `published` is what the store wrote. */
  readonly answers?: readonly Published[];
  /** By the text of a publication, whether the filter of every subscriber excludes it; absent: they have none. */
  readonly isExcluded?: (text: string) => boolean;
  /** Absent: the world does not watch who is in its channels. */
  readonly company?: CompanyRecord;
  /** From then on wall clocks of nodes may differ by an hour; absent: they do not. */
  readonly skewedFromUs?: number;
  /** Absent in worlds without sessions. */
  readonly redemptions?: readonly Redemption[];
  /** Absent in worlds where keys are not added. */
  readonly keys?: KeyRecord;
  /** Absent in worlds whose channels stay open. */
  readonly changes?: readonly ChannelChange[];
  /** Absent in worlds without a rate limit. */
  readonly limited?: RateLimitRecord | undefined;
  /** Absent in worlds without an outbox. */
  readonly outbox?: OutboxRecord;
  /** Absent in worlds without a push service. */
  readonly push?: PushRecord;
}

/** Finds what breaks one promise. */
export interface Oracle {
  readonly id: string;
  /** The sentence that it proves. */
  readonly promise: string;
  /** It judges where a run ends: one that is cut short says nothing. */
  readonly judgesTheEnd?: true;
  judge(observations: Observations): readonly Violation[];
}

/** A promise that was broken. */
export interface Violation {
  /** The oracle that found it, such as `O1`. */
  readonly oracle: string;
  readonly atUs: number;
  readonly text: string;
}
