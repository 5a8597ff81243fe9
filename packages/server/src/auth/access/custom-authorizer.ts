import type { Clock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { chain, isPromise, type MaybePromise, recover, withDeadline } from '@msg/foundation/promises';
import type { TokenClaims } from '../tokens/claims.ts';

/** A slower authorizer counts as a denial. */
const DEADLINE_MS = 2000;

/** The principal of a request: a connection, or, for `explain`, the subject of a token. */
export interface AuthorizationPrincipal {
  /** User id; empty for anonymous connections. */
  readonly user: string;
  /** Connection id; empty where there is no connection. */
  readonly clientId: string;
}

/** The request that a custom authorizer decides about. */
export interface AuthorizationRequest {
  readonly principal: AuthorizationPrincipal;
  readonly verb: 'subscribe' | 'publish';
  /** Name of an open channel. */
  readonly channel: string;
  /** Claims of the token that the decision depends on; `undefined` without one. */
  readonly token: TokenClaims | undefined;
}

/**
 * The embedder's part of an access decision: `allow`, deny with a reason that the client gets, or `undefined` for no
 * decision (messaging details 24.8).
 */
export type CustomAuthorizer = (
  request: AuthorizationRequest,
) => AuthorizationAnswer | Promise<AuthorizationAnswer>;

/** The answer of a custom authorizer. */
export type AuthorizationAnswer = 'allow' | { readonly deny: string } | undefined;

/** The outcome of a custom authorizer; `error` includes no answer in time. */
export type AuthorizationOutcome = 'allow' | 'deny' | 'none' | 'error';

export interface AuthorizerGuardOptions {
  readonly authorize: CustomAuthorizer;
  readonly clock: Clock;
  readonly onAnswer: (outcome: AuthorizationOutcome) => void;
  readonly onError: (error: unknown) => void;
}

const FAILED: AuthorizationAnswer = { deny: 'the authorizer does not answer' };

/** Calls a custom authorizer, and denies when it throws, returns another shape, or takes longer than 2 s. */
export class AuthorizerGuard {
  readonly #options: AuthorizerGuardOptions;

  constructor(options: AuthorizerGuardOptions) {
    this.#options = options;
  }

  ask(request: AuthorizationRequest): MaybePromise<AuthorizationAnswer> {
    return recover<AuthorizationAnswer>(
      () => chain(this.#answerInTime(request), answer => this.#noted(answer)),
      error => {
        this.#options.onAnswer('error');
        this.#options.onError(error);
        return FAILED;
      },
    );
  }

  #noted(answer: AuthorizationAnswer): AuthorizationAnswer {
    this.#options.onAnswer(outcomeOf(answer));
    return answer;
  }

  #answerInTime(request: AuthorizationRequest): MaybePromise<AuthorizationAnswer> {
    const { authorize, clock } = this.#options;
    const answer = authorize(request);
    if (!isPromise(answer)) return answer;
    return withDeadline(clock, DEADLINE_MS, answer, () => {
      throw new Error(`the authorizer did not answer within ${DEADLINE_MS} ms`);
    });
  }
}

/** @throws TypeError for an answer of another shape. */
function outcomeOf(answer: AuthorizationAnswer): AuthorizationOutcome {
  if (answer === undefined) return 'none';
  if (answer === 'allow') return 'allow';
  if (isRecord(answer) && typeof answer.deny === 'string') return 'deny';
  throw new TypeError('the authorizer must answer "allow", { deny: reason } or undefined');
}
