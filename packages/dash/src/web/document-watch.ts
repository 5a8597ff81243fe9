import type { Clock, TimerHandle } from '@msg/foundation/clock';

/** Connections that listen at most, over all documents. */
const MOST_LISTENERS = 200;
/** How often a document that has listeners is looked at. */
const POLL_MS = 2_000;

/** Files of one save change within this time: they are looked at once. */
const SETTLED_MS = 100;

/** What has become of a document; `items` are those whose rows have changed at their source. */
export type DocumentEvent =
  | { readonly type: 'document'; readonly revision: string }
  | { readonly type: 'gone' }
  | { readonly type: 'items'; readonly ids: readonly string[] };

/** Calls back when a file may have changed, until the answered function is called. It may miss changes. */
export type WatchFiles = (onChange: () => void) => () => void;

/** Name of the present content of a document; undefined when it does not exist. */
export type Fingerprint = () => Promise<string | undefined>;

interface Watched {
  readonly fingerprint: Fingerprint;
  readonly listeners: Set<(event: DocumentEvent) => void>;
  last: string | undefined;
  timer: TimerHandle | undefined;
}

/** Tells the listeners of a document when it changes, by any hand. A document without listeners is not read. */
export class DocumentWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #clock: Clock;
  readonly #watchFiles: WatchFiles;
  #listening = 0;
  #stopWatching: (() => void) | undefined;
  #settling: TimerHandle | undefined;

  constructor(clock: Clock, watchFiles: WatchFiles = () => () => undefined) {
    this.#clock = clock;
    this.#watchFiles = watchFiles;
  }

  /** True when no further connection may listen. */
  get isFull(): boolean {
    return this.#listening >= MOST_LISTENERS;
  }

  /** Listens until the answered function is called. The first event says which revision is the present one. */
  listen(id: string, fingerprint: Fingerprint, listener: (event: DocumentEvent) => void): () => void {
    const watched = this.#watched.get(id) ?? {
      fingerprint,
      listeners: new Set(),
      last: '',
      timer: undefined,
    };
    const isFirst = watched.listeners.size === 0;
    this.#watched.set(id, watched);
    watched.listeners.add(listener);
    this.#listening++;
    this.#stopWatching ??= this.#watchFiles(() => this.#fileChanged());
    if (isFirst) void this.#check(id, watched);
    else if (watched.last !== '') listener(eventOf(watched.last));
    return () => {
      if (!watched.listeners.delete(listener)) return;
      this.#listening--;
      if (this.#listening === 0) this.#rest();
      if (watched.listeners.size > 0) return;
      if (watched.timer !== undefined) this.#clock.clearTimeout(watched.timer);
      this.#watched.delete(id);
    };
  }

  /** Looks at once: something may have changed. */
  poke(): void {
    for (const [id, watched] of this.#watched) {
      if (watched.timer === undefined) continue; // a look is under way
      this.#clock.clearTimeout(watched.timer);
      void this.#check(id, watched);
    }
  }

  /** The rows of these items have changed at their source: pages ask for them again. */
  itemsChanged(id: string, ids: readonly string[]): void {
    for (const listener of this.#watched.get(id)?.listeners ?? []) listener({ type: 'items', ids });
  }

  #fileChanged(): void {
    this.#settling ??= this.#clock.setTimeout(() => {
      this.#settling = undefined;
      this.poke();
    }, SETTLED_MS);
  }

  /** Without a listener no file is watched. */
  #rest(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    if (this.#settling !== undefined) this.#clock.clearTimeout(this.#settling);
    this.#settling = undefined;
  }

  async #check(id: string, watched: Watched): Promise<void> {
    watched.timer = undefined;
    const present = await watched.fingerprint().catch(() => watched.last); // a failing disk changes nothing
    if (this.#watched.get(id) !== watched) return;
    if (present !== watched.last) {
      watched.last = present;
      for (const listener of watched.listeners) listener(eventOf(present));
    }
    watched.timer = this.#clock.setTimeout(() => void this.#check(id, watched), POLL_MS);
  }
}

function eventOf(fingerprint: string | undefined): DocumentEvent {
  return fingerprint === undefined ? { type: 'gone' } : { type: 'document', revision: fingerprint };
}
