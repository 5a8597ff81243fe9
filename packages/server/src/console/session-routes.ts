import { MsgError } from '@msg/core';
import { MAX_PUBLIC_BODY_BYTES } from '@msg/core/internal';
import type { BodyRule, RequestBodies } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import type { Audit } from '../audit/audit.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import { sendEmpty, sendJson } from '../http/answer.ts';
import { BODY_DENIALS } from '../http/body-denials.ts';
import type { ErrorResponder } from '../http/error-responder.ts';
import type { RequestContext } from '../http/request-context.ts';
import { cookieOf, sessionCookie } from './cookies.ts';
import type { Place } from './place.ts';
import { type Session, type Sessions, sessionEnded } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

const BODY: BodyRule = { limit: MAX_PUBLIC_BODY_BYTES, anonymous: true };
/** A record without a method of the table: what was done with a session. */
const RIGHTS = { role: null, effect: 'write', audited: 'always', detail: [] } as const;
const NOBODY = { subject: '', role: '' } as const;

type Act = (context: RequestContext, place: Place) => void;

export interface SessionRoutesOptions {
  readonly sessions: Sessions;
  /** `local`: in front of a server elsewhere, with a code in place of a token. */
  readonly mode: 'service' | 'local';
  readonly signIn: Pick<SignIn, 'read'>;
  readonly audit: Pick<Audit, 'run'>;
  readonly bodies: Pick<RequestBodies, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly responder: ErrorResponder;
  readonly noAuth: boolean;
  /** The listener has a loopback address. */
  readonly boundToLoopback: boolean;
  /** Sessions end with the process. */
  readonly isVolatile: boolean;
  /** Operators sign in at the identity provider, too. */
  readonly hasProvider: boolean;
  readonly version: string;
  /** A label of the deployment; empty: none. */
  readonly region: string;
}

/** The routes below `/console/session`. Source: console, sections 3 and 4. */
export class SessionRoutes {
  readonly #options: SessionRoutesOptions;
  readonly #acts: ReadonlyMap<string, Act>;

  constructor(options: SessionRoutesOptions) {
    this.#options = options;
    const { sessions } = options;
    this.#acts = new Map<string, Act>([
      ['', (context, place) => this.#begin(context, place)],
      ['/unlock', this.#actOn('Unlock', session => sessions.unlock(session))],
      ['/lock', this.#actOn('Lock', session => sessions.lock(session))],
      ['/end', this.#actOn('SignOut', session => sessions.end(session), true)],
    ]);
  }

  /** What a POST to the rest of a path does; undefined for any other path. */
  actOf(rest: string): Act | undefined {
    return this.#acts.get(rest);
  }

  /** The session of a request. @throws MsgError MSG_AUTH_EXPIRED, as rejection, without a live one */
  find({ request }: RequestContext, place: Place): Promise<Session> {
    return this.#options.sessions.find(cookieOf(request.headers.cookie, place.cookie));
  }

  /** Answers who is signed in. */
  describe(context: RequestContext, place: Place): void {
    this.#answer(context, async () => {
      const facts = this.#facts(place);
      if (this.#options.noAuth) {
        sendJson(context, 200, {
          ...facts,
          signed_in: true,
          subject: '',
          role: 'admin',
          scopes: [],
          no_auth: true,
        });
        return;
      }
      try {
        sendJson(context, 200, { ...facts, ...this.#describe(await this.find(context, place)) });
      } catch (error) {
        if (!(error instanceof MsgError) || error.code !== 'MSG_AUTH_EXPIRED') throw error;
        sendJson(context, 200, { ...facts, signed_in: false, reason: error.reason });
      }
    });
  }

  #facts(place: Place): Record<string, unknown> {
    const { clock, isVolatile, mode, version, region, hasProvider } = this.#options;
    return {
      mode,
      oidc: hasProvider,
      insecure: place.kind === 'insecure',
      volatile: isVolatile,
      version,
      region,
      now_unix: Math.floor(clock.now() / 1000),
    };
  }

  #describe(session: Session): Record<string, unknown> {
    const { subject, role, scopes = [], endsAt, writesUntil } = session;
    const isLocked = this.#options.sessions.isLocked(session);
    return {
      signed_in: true,
      subject,
      role,
      scopes: scopes.map(({ pat, v, deny = false }) => ({ pattern: pat, verbs: v, deny })),
      expires_at: new Date(endsAt).toISOString(),
      locked: isLocked,
      unlocked_until_unix: isLocked ? 0 : Math.floor(writesUntil / 1000),
    };
  }

  #begin(context: RequestContext, place: Place): void {
    if (place.kind === 'insecure') {
      const text =
        'the console needs HTTPS: set console.origin behind a proxy, or use a tunnel to this machine';
      throw new MsgError('MSG_AUTH_DENIED', text, { reason: 'https' });
    }
    context.body = this.#options.bodies.read(context.request, BODY, {
      onBody: body => this.#answer(context, () => this.#signIn(context, place, body)),
      onDenied: reason => this.#options.responder.refuse(context, BODY_DENIALS[reason]()),
    });
  }

  async #signIn(context: RequestContext, place: Place, body: Buffer): Promise<void> {
    context.isRead = true;
    const { mode, signIn } = this.#options;
    const session = await this.admit(context, place, () =>
      signIn.read(credentialOf(body, mode), context.clientAddress),
    );
    sendJson(context, 200, { ...this.#facts(place), ...this.#describe(session) });
  }

  /** Begins a session for the bearer that was read, or records why not, and sets its cookie. */
  async admit(context: RequestContext, place: Place, read: () => Promise<VerifiedToken>): Promise<Session> {
    const { sessions, boundToLoopback } = this.#options;
    const token = await read().catch((error: unknown) => this.#refused(context, error));
    context.subject = token.subject;
    const isUnlocked = boundToLoopback && place.kind === 'local';
    const { text, session } = await this.#recorded(context, 'SignIn', token, () =>
      sessions.begin(token, isUnlocked),
    );
    context.headers.push('set-cookie', sessionCookie(place, text));
    return session;
  }

  /** Records a sign-in that was refused; those above the rate leave no record each. */
  #refused(context: RequestContext, error: unknown): Promise<never> {
    if (error instanceof MsgError && error.code === 'MSG_RATE_LIMITED') throw error;
    return this.#recorded(context, 'SignIn', NOBODY, () => Promise.reject(error));
  }

  /** An act on the caller's own session, answered with 204. */
  #actOn(method: string, work: (session: Session) => Promise<unknown>, ends = false): Act {
    return (context, place) => {
      this.#answer(context, async () => {
        if (this.#options.noAuth) throw sessionEnded('session');
        const session = await this.find(context, place);
        context.subject = session.subject;
        await this.#recorded(context, method, session, () => work(session));
        if (ends) context.headers.push('set-cookie', sessionCookie(place, ''));
        sendEmpty(context, 204);
      });
    };
  }

  #recorded<T>(
    { requestId, clientAddress }: RequestContext,
    method: string,
    { subject: actor, role }: { readonly subject: string; readonly role: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const call = {
      actor,
      role,
      via: 'console',
      method,
      rights: RIGHTS,
      request: {},
      requestId,
      clientAddress,
    } as const;
    return this.#options.audit.run(call, work);
  }

  #answer(context: RequestContext, work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#options.responder.refuse(context, error));
  }
}

/** What a sign-in shows: a token, or the code of a link. @throws MsgError MSG_INVALID_ARGUMENT */
function credentialOf(body: Buffer, mode: SessionRoutesOptions['mode']): string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    value = undefined;
  }
  const name = mode === 'local' ? 'code' : 'token';
  const text = isRecord(value) ? value[name] : undefined;
  if (typeof text === 'string') return text.trim();
  throw new MsgError('MSG_INVALID_ARGUMENT', `the body must be {"${name}": "…"}`);
}
