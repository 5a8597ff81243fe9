import type { Clock } from '@msg/foundation/clock';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { VerifiedToken } from '../claims.ts';
import type { Revocations } from './revocations.ts';

/**
 * How long an answer is valid; with the time of the query it stays below the 5 s of live revocation (messaging details
 * 24.6).
 */
const MAX_AGE_MS = 4000;
/** Number of bearers in the cache. */
const CAPACITY = 4096;

interface Answer {
  readonly revoked: boolean;
  /** Monotonic time of the query. */
  readonly askedAt: number;
}

type RevocationAnswers = Pick<Revocations, 'isRevoked' | 'onRevoked' | 'version'>;

/**
 * Checks at every call whether a management bearer was revoked. A store in memory is queried each time; the answers of a
 * shared store are cached for a few seconds. A revocation by this node, on any of its threads, takes effect at once.
 */
export class BearerRevocation {
  readonly #revocations: RevocationAnswers;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #answers = new Map<string, Answer>();
  /** Number of revocations by this node: an answer to an earlier query is not cached. */
  #generation = 0;
  /** As of the last look. */
  #version: number;

  constructor(revocations: RevocationAnswers, clock: Pick<Clock, 'monotonic'>) {
    this.#revocations = revocations;
    this.#clock = clock;
    this.#version = revocations.version;
    revocations.onRevoked(() => this.#forget());
  }

  /** @throws MsgError MSG_INTERNAL, as rejection too, when the store fails. */
  isRevoked(token: VerifiedToken): MaybePromise<boolean> {
    this.#followThreads();
    if (this.#answers.size === 0) return this.#ask(token);
    const answer = this.#answers.get(keyOf(token));
    if (answer === undefined || this.#clock.monotonic() - answer.askedAt > MAX_AGE_MS)
      return this.#ask(token);
    return answer.revoked;
  }

  #ask(token: VerifiedToken): MaybePromise<boolean> {
    const answer = this.#revocations.isRevoked(token);
    if (!isPromise(answer)) return answer; // a synchronous answer needs no cache
    const askedAt = this.#clock.monotonic();
    const generation = this.#generation;
    return answer.then(revoked => {
      this.#followThreads();
      if (generation === this.#generation) this.#remember(keyOf(token), { revoked, askedAt });
      return revoked;
    });
  }

  /** Another thread has revoked something since the last look. */
  #followThreads(): void {
    const { version } = this.#revocations;
    if (version === this.#version) return;
    this.#version = version;
    this.#forget();
  }

  #forget(): void {
    this.#generation++;
    this.#answers.clear();
  }

  #remember(key: string, answer: Answer): void {
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    if (this.#answers.size <= CAPACITY) return;
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#answers.delete(oldest);
  }
}

/** Cache key: everything that the answer depends on. ID tokens have no id here. */
function keyOf({ claims, subject }: VerifiedToken): string {
  return `${claims.jti ?? ''} ${claims.iat} ${subject}`;
}
