import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { Keyring } from '../keys/keyring.ts';
import type { TokenType, VerifiedToken } from '../tokens/claims.ts';
import { MAX_REFRESH_TTL_MS } from '../tokens/issuer.ts';
import { entryOf, type KeyUsageStore, kidOf, SINCE, type UsageMoment, type UsageTable } from './contract.ts';

const WRITE_MS = 5000;
const DAY_MS = 86_400_000;
/** Other nodes may sign with a key that was demoted until they have looked at the keyring. */
const PROPAGATION_MS = 60_000;
/** The longest life of an access token that a caller may ask for. */
const MAX_ACCESS_TTL_MS = 3_600_000;

export interface KeyUsageParts {
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Absent: what is known ends with the process. */
  readonly store?: KeyUsageStore;
  /** What the verifier has cached. */
  readonly tokens: () => Iterable<VerifiedToken>;
  /** The record could not be stored; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * What is known of the use of the signing keys: until when tokens were issued under each, and when one was last seen.
 * Source: console, section 7.6.
 */
export class KeyUsage {
  readonly #parts: KeyUsageParts;
  readonly #moments = new Map<string, number>();
  /** Raised, and not stored yet. */
  #unsaved = new Map<string, number>();
  #saving: Promise<void> = Promise.resolve();
  #savedAt = Number.NEGATIVE_INFINITY;
  #timer: TimerHandle | undefined;
  #hasStopped = false;
  #active: string | undefined;
  #known: ReadonlySet<string> = new Set();

  constructor(parts: KeyUsageParts) {
    this.#parts = parts;
    this.#moments.set(SINCE, parts.clock.now());
    this.#follow();
    parts.keyring.onChange(() => this.#follow());
    // Stored first: after a crash of all nodes nothing else would say that the key has signed.
    parts.keyring.beforeDemotion(async kid => {
      this.#signsNoMore(kid, parts.clock.now());
      await this.flush().catch(parts.onError);
    });
  }

  /** Reads what earlier processes and other nodes know. Rejects when the store fails. */
  async start(): Promise<void> {
    await this.#load();
    const { keyring, clock, store } = this.#parts;
    const live = new Set(keyring.keySet.keys.map(({ id }) => id));
    const kids = new Set([...this.#moments.keys()].flatMap(entry => kidOf(entry) ?? []));
    const old = [...kids].filter(kid => {
      const retiredAt = this.momentOf(kid, 'retired');
      return !live.has(kid) && retiredAt > 0 && clock.now() - retiredAt > DAY_MS;
    });
    for (const entry of [...this.#moments.keys()])
      if (old.includes(kidOf(entry) ?? '')) this.#moments.delete(entry);
    if (old.length > 0) await store?.forget(old);
    // A key that another process demoted, or the end of which no process noticed.
    for (const kid of kids) if (!old.includes(kid)) this.#ended(kid, live);
    await this.flush();
  }

  #ended(kid: string, live: ReadonlySet<string>): void {
    const now = this.#parts.clock.now();
    if (!live.has(kid) && this.momentOf(kid, 'retired') === 0) this.#raise(kid, 'retired', now);
    const [promoted, demoted] = [this.momentOf(kid, 'promoted'), this.momentOf(kid, 'demoted')];
    if (kid !== this.#parts.keyring.active.id && promoted > demoted) this.#demoted(kid, now);
  }

  async #load(): Promise<void> {
    const { store, clock } = this.#parts;
    if (store === undefined) return;
    const stored = await store.load(clock.now());
    for (const [entry, moment] of stored) {
      // The begin of the record is the first there was; everything else is the latest.
      if (entry === SINCE || moment > (this.#moments.get(entry) ?? 0)) this.#moments.set(entry, moment);
    }
  }

  /** A token was signed. */
  issued(kid: string, type: TokenType, expUnix: number): void {
    this.#raise(kid, `issued.${type}`, expUnix * 1000);
  }

  /** A verified token leaves the cache. */
  left(token: VerifiedToken): void {
    this.#saw(token);
  }

  /** Stores what was raised. Rejects when the store fails. */
  async flush(): Promise<void> {
    const { store, clock } = this.#parts;
    if (store === undefined || this.#unsaved.size === 0) return this.#saving;
    const raised = this.#unsaved;
    this.#unsaved = new Map();
    this.#savedAt = clock.monotonic();
    this.#saving = this.#saving
      .catch(() => {})
      .then(() => store.raise(raised))
      .catch((error: unknown) => {
        for (const [entry, moment] of raised)
          if (moment > (this.#unsaved.get(entry) ?? 0)) this.#unsaved.set(entry, moment);
        throw error;
      });
    return this.#saving;
  }

  /** Stores what was raised, at a stop. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    if (this.#timer !== undefined) this.#parts.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const token of this.#parts.tokens()) this.#saw(token);
    await this.flush().catch(this.#parts.onError);
  }

  /** Takes in what the cache and the other nodes know, and answers all moments. Rejects when the store fails. */
  async table(): Promise<UsageTable> {
    await this.#load();
    return this.moments;
  }

  /** All moments, with what the cache knows. */
  get moments(): UsageTable {
    for (const token of this.#parts.tokens()) this.#saw(token);
    return this.#moments;
  }

  momentOf(kid: string, moment: UsageMoment): number {
    return this.#moments.get(entryOf(kid, moment)) ?? 0;
  }

  #saw({ claims, kid, fingerprint, seenAt }: VerifiedToken): void {
    // A bearer of the identity provider has no key of the service.
    if (seenAt > 0 && fingerprint !== '') this.#raise(kid, `seen.${claims.typ}`, seenAt);
  }

  /** The keyring changed. */
  #follow(): void {
    const { keyring, clock } = this.#parts;
    const now = clock.now();
    const { keys, active } = keyring.keySet;
    for (const { id, createdAt } of keys) {
      this.#raise(id, 'created', createdAt);
      // It signed nothing before this process recorded it.
      if (keyring.madeHere(id)) this.#raise(id, 'recorded', Math.max(1, createdAt));
    }
    if (active !== undefined && active.id !== this.#active) {
      if (this.#active !== undefined) this.#demoted(this.#active, now);
      this.#active = active.id;
      this.#raise(active.id, 'promoted', this.#known.size === 0 ? active.createdAt : now);
    }
    const live = new Set(keys.map(({ id }) => id));
    for (const kid of this.#known) if (!live.has(kid)) this.#raise(kid, 'retired', now);
    this.#known = live;
  }

  #demoted(kid: string, now: number): void {
    this.#raise(kid, 'demoted', now);
    this.#signsNoMore(kid, now);
  }

  /**
   * A key signs no more, here: what other nodes still sign, and what a process that died did not store, is over by then.
   * Management tokens are stored before they are handed out.
   */
  #signsNoMore(kid: string, now: number): void {
    this.#raise(kid, 'issued.access', now + PROPAGATION_MS + MAX_ACCESS_TTL_MS);
    this.#raise(kid, 'issued.refresh', now + PROPAGATION_MS + MAX_REFRESH_TTL_MS);
  }

  #raise(kid: string, what: UsageMoment, moment: number): void {
    const entry = entryOf(kid, what);
    if (moment <= (this.#moments.get(entry) ?? 0)) return;
    this.#moments.set(entry, moment);
    if (this.#parts.store === undefined) return;
    this.#unsaved.set(entry, moment);
    this.#arm();
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#hasStopped) return;
    const { clock, onError } = this.#parts;
    const wait = Math.max(0, this.#savedAt + WRITE_MS - clock.monotonic());
    this.#timer = clock.setTimeout(
      () => {
        this.#timer = undefined;
        this.flush().catch(error => {
          onError(error);
          this.#arm();
        });
      },
      Math.min(wait, WRITE_MS),
    );
  }
}
