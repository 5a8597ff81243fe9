import type { MaybePromise } from '@msg/foundation/promises';

/** An amount that is held at a moment, by one node or by several together. */
export interface Total {
  /** What this node holds. */
  readonly own: number;
  /** What all nodes hold that share the total. */
  readonly all: number;
  /** Takes an amount; false, and nothing is taken, when all together would then hold more than `most`. */
  take(amount: number, most: number): boolean;
  /** Gives back what was taken. */
  give(amount: number): void;
}

/** What nodes of one process hold together, by the limits that bound it. */
export interface NodeTotals {
  /** Connections, for `limits.connections`. */
  readonly connections: Total;
  /** Bytes of request bodies, for `limits.bodyBytes`, and those of requests without a credential. */
  readonly bodies: Total;
  readonly anonymousBodies: Total;
  /** Bytes of long replies, for `limits.replyBytes`. */
  readonly replies: Total;
}

/** A key, as a user or an address, and how many it may have of what is counted, as connections. */
export interface KeyBound {
  readonly key: string;
  readonly most: number;
}

/** Counts what has keys, as the connections of users and addresses, over the nodes of one process. */
export interface KeyCounts {
  /**
   * Counts one thing, as a connection, under all keys; false, and it is counted under none, when one of them has no room.
   * @param id of it, unique on its node
   */
  add(id: string, bounds: readonly KeyBound[]): MaybePromise<boolean>;
  /** It has ended. Does nothing for one that is not counted. */
  remove(id: string): void;
}

/** What makes the limits of several nodes of one process those of the process. */
export interface ProcessBounds {
  readonly totals: NodeTotals;
  readonly counts: KeyCounts;
  /** Totals of the program besides those of nodes, by the names that it gave. */
  readonly further: ReadonlyMap<string, Total>;
}

/** The total of one node alone. */
export class OwnTotal implements Total {
  #own = 0;

  get own(): number {
    return this.#own;
  }

  get all(): number {
    return this.#own;
  }

  take(amount: number, most: number): boolean {
    if (this.#own + amount > most) return false;
    this.#own += amount;
    return true;
  }

  give(amount: number): void {
    this.#own -= amount;
  }
}

/** The totals of a node that counts alone. */
export function ownTotals(): NodeTotals {
  return {
    connections: new OwnTotal(),
    bodies: new OwnTotal(),
    anonymousBodies: new OwnTotal(),
    replies: new OwnTotal(),
  };
}
