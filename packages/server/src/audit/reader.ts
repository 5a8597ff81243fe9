import type { AuditPage, AuditQuery, AuditStore } from './contract.ts';
import { newestFirst, pageOf } from './memory.ts';

/** A live node whose records an answer lacks. */
interface MissingRing {
  readonly node: string;
  readonly reason: string;
}

/** Asks every node for a page of its own records. */
export type AskRings = (query: AuditQuery) => Promise<{
  /** `null`: the position is unknown to the node. */
  readonly pages: readonly (AuditPage | null)[];
  readonly missing: readonly MissingRing[];
}>;

/** A page of the records of all nodes. */
export interface ClusterAuditPage extends AuditPage {
  readonly missing: readonly MissingRing[];
}

/** Reads the records of all nodes: from the store that they share, or from the ring of each. */
export class AuditReader {
  readonly #store: AuditStore;
  readonly #askRings: AskRings | undefined;

  /** @param askRings absent: the nodes share the store */
  constructor(store: AuditStore, askRings?: AskRings) {
    this.#store = store;
    this.#askRings = askRings;
  }

  /** @returns undefined for a position that belongs to another listing */
  async list(query: AuditQuery): Promise<ClusterAuditPage | undefined> {
    if (this.#askRings === undefined) {
      const page = await this.#store.list(query);
      return page && { ...page, missing: [] };
    }
    const { pages: answered, missing } = await this.#askRings(query);
    const pages = answered.filter(page => page !== null);
    if (pages.length === 0 && answered.length > 0) return undefined;
    const records = pages.flatMap(page => page.records).sort(newestFirst);
    // Each ring gave its newest, so the newest of all are among them.
    const hasMore = pages.some(page => page.next !== undefined);
    return { ...pageOf(records, query.limit, hasMore), missing };
  }
}
