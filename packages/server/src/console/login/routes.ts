import type { IncomingMessage } from 'node:http';
import { MsgError } from '@msg/core';
import { twirpError } from '@msg/core/internal';
import type { Random } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import type { LoginChecks, OperatorLogin } from '../../auth/access/oidc/code-login.ts';
import { sendEmpty } from '../../http/answer.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { cookieOf, loginCookie } from '../cookies.ts';
import type { Place } from '../place.ts';
import type { SessionRoutes } from '../session-routes.ts';
import type { ConsoleSessionStore } from '../sessions/contract.ts';
import { answered, idOf } from '../sessions.ts';
import { donePage, failedPage, type WrittenPage } from './page.ts';

const LOGIN_MS = 10 * 60_000;
const HANDLE_BYTES = 32;
const LONGEST_RETURN = 2000;

/** A sign-in that has begun. */
interface Login extends LoginChecks {
  /** Where the operator wanted to go: a path below the console. */
  readonly goal: string;
}

export interface LoginRoutesOptions {
  readonly provider: OperatorLogin;
  readonly store: ConsoleSessionStore;
  readonly random: Random;
  readonly session: Pick<SessionRoutes, 'admit'>;
  /** A sign-in failed: for the log. */
  readonly onFailed: (error: unknown) => void;
}

/** How the gateway answers with a page. */
export type SendPage = (context: RequestContext, status: number, page: WrittenPage) => void;

/** The routes below `/console/login`. Source: console, section 4.2. */
export class LoginRoutes {
  readonly #options: LoginRoutesOptions;

  constructor(options: LoginRoutesOptions) {
    this.#options = options;
  }

  /** What a GET of the rest of a path does; undefined for any other path. `base` is the console's path. */
  actOf(
    rest: string,
    base: string,
    send: SendPage,
  ): ((context: RequestContext, place: Place) => void) | undefined {
    const work = rest === '/oidc' ? this.#begin : rest === '/callback' ? this.#end : undefined;
    if (work === undefined) return undefined;
    return (context, place) => {
      context.headers.push('cache-control', 'no-store');
      work.call(this, context, place, base, send).catch((error: unknown) => {
        this.#options.onFailed(error);
        send(context, twirpError(error).status, failedPage(error, base));
      });
    };
  }

  async #begin(context: RequestContext, place: Place, base: string): Promise<void> {
    requireOwnLink(context.request);
    requireSafe(place);
    const { provider, store, random } = this.#options;
    const { address, checks } = await provider.begin();
    const handle = Buffer.from(random.bytes(HANDLE_BYTES)).toString('base64url');
    const login: Login = { ...checks, goal: goalOf(queryOf(context).get('return') ?? '', base) };
    await answered(store.keepLogin(idOf(handle), JSON.stringify(login), LOGIN_MS));
    context.headers.push('set-cookie', loginCookie(place, handle, LOGIN_MS / 1000), 'location', address);
    sendEmpty(context, 302);
  }

  async #end(context: RequestContext, place: Place, _base: string, send: SendPage): Promise<void> {
    const { provider, session } = this.#options;
    context.headers.push('set-cookie', loginCookie(place));
    let goal = '';
    await session.admit(context, place, async () => {
      requireSafe(place);
      const login = await this.#take(cookieOf(context.request.headers.cookie, place.loginCookie));
      goal = login.goal;
      return provider.end(searchOf(context), login);
    });
    // A redirect would be one of the provider's site, and the strict cookie would not go with it.
    context.headers.push('refresh', `0; url=${goal}`);
    send(context, 200, donePage(goal));
  }

  /** The sign-in of a handle, which is known once. @throws MsgError MSG_AUTH_DENIED, reason `login` */
  async #take(handle: string | undefined): Promise<Login> {
    const text =
      handle === undefined ? undefined : await answered(this.#options.store.takeLogin(idOf(handle)));
    const login: unknown = text === undefined ? undefined : JSON.parse(text);
    if (isRecord(login)) return login as unknown as Login; // only these routes write them
    const cause = 'this sign-in is not known: it ended, took longer than ten minutes, or began elsewhere';
    throw new MsgError('MSG_AUTH_DENIED', cause, { reason: 'login' });
  }
}

/** Another site's page begins no sign-in. @throws MsgError MSG_AUTH_DENIED, reason `origin` */
function requireOwnLink({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site === 'same-origin' || site === 'none') return;
  throw new MsgError('MSG_AUTH_DENIED', 'a page of another origin began this sign-in', { reason: 'origin' });
}

/** @throws MsgError MSG_AUTH_DENIED, reason `https` */
function requireSafe({ kind }: Place): void {
  if (kind !== 'insecure') return;
  throw new MsgError('MSG_AUTH_DENIED', 'the console needs HTTPS', { reason: 'https' });
}

/** The query of a request, with its question mark. */
function searchOf({ request }: RequestContext): string {
  const target = request.url ?? '';
  const at = target.indexOf('?');
  return at < 0 ? '' : target.slice(at);
}

function queryOf(context: RequestContext): URLSearchParams {
  return new URLSearchParams(searchOf(context));
}

/** An address of the console as a path: the console's first page for any other text. */
function goalOf(text: string, base: string): string {
  const first = new URL(base, 'http://console.invalid');
  const url = text.length > LONGEST_RETURN ? null : URL.parse(text, first);
  const isBelow = url?.origin === first.origin && url.pathname.startsWith(base);
  if (url === null || !isBelow || url.pathname.startsWith(`${base}login/`)) return base;
  return url.pathname + url.search;
}
