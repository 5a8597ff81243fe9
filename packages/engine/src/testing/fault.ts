/** A call of the broker that a fault can delay or fail. */
export type BrokerOperation =
  | 'subscribe'
  | 'unsubscribe'
  | 'publish'
  | 'append'
  | 'appendState'
  | 'cancelAppend'
  | 'publishJoin'
  | 'publishLeave'
  | 'history'
  | 'removeHistory'
  | 'renewEpoch'
  | 'removeStream';

/** The calls that a fault applies to. */
export interface FaultScope {
  /** Only this channel; default: every channel. */
  readonly channel?: string;
  /** How many calls, or publications, it hits before it ends. Each fault has its own default. */
  readonly times?: number;
}

/** A fault of one operation. */
export interface OperationFaultScope extends FaultScope {
  /**
   * `before` (default): the wrapped broker has not received the call yet. `after`: it has executed the call, and only the
   * answer is late or lost.
   */
  readonly moment?: 'before' | 'after';
}

/** An active fault. */
export interface Fault {
  /** How many calls, or publications, it has hit so far. */
  readonly hits: number;
  /** Ends the fault. Safe to call again. */
  end(): void;
}

/** A fault that holds calls or publications until the test releases them, in the order of arrival. */
export interface PauseControl extends Fault {
  /** How many wait at this moment. */
  readonly waiting: number;
  /** Releases the oldest `count` (default 1); the gate stays. */
  pass(count?: number): void;
  /** Releases all and ends the fault. Safe to call again. */
  open(): void;
}

/** A gate for publications on their way to the node. Its end releases all in order. */
export interface PublicationPause extends PauseControl {
  /** Drops the oldest `count` that wait (default 1). */
  drop(count?: number): void;
}
