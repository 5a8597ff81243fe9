import type { DataSources } from '../data/sources.ts';
import type { ResolvedTree } from '../resolve/tree.ts';

/** A document that pages listen to. */
interface Followed {
  listeners: number;
  /** The revision whose connections are listened to. */
  revision: string | undefined;
  stop: () => void;
}

/** Listens to the live connections of documents for as long as pages listen to these. */
export class LiveRows {
  readonly #followed = new Map<string, Followed>();
  readonly #sources: DataSources;
  readonly #onItems: (id: string, ids: readonly string[]) => void;

  /** @param onItems hears of items of a document whose rows have changed at their source. */
  constructor(sources: DataSources, onItems: (id: string, ids: readonly string[]) => void) {
    this.#sources = sources;
    this.#onItems = onItems;
  }

  /** A page listens to a document until the answered function is called. */
  listen(id: string): () => void {
    const followed = this.#followed.get(id) ?? { listeners: 0, revision: undefined, stop: () => undefined };
    this.#followed.set(id, followed);
    followed.listeners++;
    return () => {
      followed.listeners--;
      if (followed.listeners > 0) return;
      followed.stop();
      this.#followed.delete(id);
    };
  }

  /**
   * Listens to the connections of a revision, instead of those of an earlier one.
   * @param treeOf resolves the document; where that fails, nothing is listened to.
   */
  async follow(id: string, revision: string, treeOf: () => Promise<ResolvedTree>): Promise<void> {
    const followed = this.#followed.get(id);
    if (followed === undefined || followed.revision === revision) return;
    followed.revision = revision;
    followed.stop();
    followed.stop = () => undefined;
    try {
      const tree = await treeOf();
      if (this.#followed.get(id) !== followed || followed.revision !== revision) return;
      followed.stop = this.#sources.watch(tree, ids => this.#onItems(id, ids));
    } catch {
      // the page says why the document does not resolve
    }
  }
}
