import type { Admission, ListenedService, ServiceOptions } from './service.ts';

/** It received what was published while it was away, and what came next. */
export const EVERYTHING = 'everything';
/** It received the next publication. */
export const NEXT = 'the next one';

/** What a case has to work with. */
export interface Life {
  readonly service: ListenedService;
  /** The channel that everybody listens to. */
  readonly name: string;
  /** How many listen. */
  readonly listeners: number;
  /** Opens or creates the channel. */
  open(ttlSeconds?: number): Promise<void>;
  /** Publishes what the listeners should have to catch up with. */
  publishMissed(): Promise<void>;
  /** @throws Error when a listener has something of that already. */
  missedByAll(): void;
  /** As {@link Life.publishMissed}, with a payload that is not UTF-8. */
  publishBytes(): Promise<void>;
  /** Waits until every listener was told why it ends. */
  allTold(): Promise<void>;
}

/** One thing that happens to listeners, and what becomes of them: {@link EVERYTHING}, {@link NEXT} or the reason they are told. */
export interface Case {
  readonly title: string;
  readonly visibility: 'public' | 'private';
  readonly server?: ServiceOptions;
  /** Of a private channel. */
  readonly admission?: Admission;
  /** It takes its time: it is among the first to be started. */
  readonly isLong?: true;
  /** Makes the channel; default: it is opened or created, for an hour. */
  prepare?(life: Life): Promise<void>;
  disturb(life: Life): Promise<void>;
  readonly outcome: string;
  /** By the name of the client, where it differs. */
  readonly exceptions?: Readonly<Record<string, string>>;
}

export const expectedOutcome = ({ outcome, exceptions }: Case, client: string): string =>
  exceptions?.[client] ?? outcome;
