import type { RpcMethodName } from '@msg/core';
import { MsgError } from '@msg/core';
import { rpcMethodOf } from '@msg/core/internal';
import { sendEmpty, sendText } from '../http/answer.ts';
import type { ErrorResponder } from '../http/error-responder.ts';
import type { RequestContext } from '../http/request-context.ts';
import { ConsoleFiles } from './files.ts';
import { requireOwnPage } from './forgery.ts';
import type { LoginRoutes } from './login/routes.ts';
import type { ConsoleSettings } from './options.ts';
import { type Place, placeOf, type SaysHttps } from './place.ts';
import { policyHeaders } from './policy.ts';
import type { SessionRoutes } from './session-routes.ts';

const PREFIX = '/console';
const ASSETS = `${PREFIX}/assets/`;
const SESSION = `${PREFIX}/session`;
const LOGIN = `${PREFIX}/login`;
const RPC = `${PREFIX}/twirp/`;
/** Where the pages of other services of this kind are. */
const ADMIN = '/admin';

export interface GatewayOptions {
  readonly settings: Pick<ConsoleSettings, 'origin'>;
  /** Path of the service, before `/console`. */
  readonly basePath: string;
  /** No checks at all: only for callers of this machine. */
  readonly noAuth: boolean;
  readonly saysHttps: SaysHttps;
  readonly session: SessionRoutes;
  /** Absent: sign-in takes a token alone. */
  readonly login?: LoginRoutes | undefined;
  /** The RPC, whose callers are sessions. */
  readonly rpc: { handle(context: RequestContext, name: RpcMethodName | undefined): void };
  readonly responder: ErrorResponder;
  /** The console cannot be served. */
  readonly onError: (error: unknown) => void;
}

/** The HTTP part of the console, below `/console`. Source: console, sections 3 and 4. */
export class ConsoleGateway {
  readonly #options: GatewayOptions;
  #files: Promise<ConsoleFiles> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Whether a path belongs to the console. */
  owns(path: string): boolean {
    return [PREFIX, ADMIN].some(prefix => path === prefix || path.startsWith(`${prefix}/`));
  }

  /** Answers a request; never throws. */
  handle(context: RequestContext): void {
    const { settings, saysHttps, responder } = this.#options;
    const place = placeOf(context.request, settings.origin, saysHttps);
    context.headers.push(...policyHeaders(place, settings.origin));
    try {
      this.#route(context, place);
    } catch (error) {
      context.headers.push('cache-control', 'no-store');
      responder.refuse(context, error);
    }
  }

  #route(context: RequestContext, place: Place): void {
    const { path, request } = context;
    const { noAuth, rpc, session } = this.#options;
    if (noAuth && !place.isOfThisMachine) {
      const text = 'the service runs with --no-auth: its console answers only requests from the same machine';
      throw new MsgError('MSG_AUTH_DENIED', text, { reason: 'no-auth' });
    }
    if (request.method === 'POST' && path.startsWith(RPC)) {
      requireOwnPage(request, place);
      context.headers.push('cache-control', 'no-store');
      rpc.handle(context, rpcMethodOf(path.slice(PREFIX.length)));
      return;
    }
    const act = path.startsWith(SESSION) ? session.actOf(path.slice(SESSION.length)) : undefined;
    if (act !== undefined && request.method === 'POST') {
      requireOwnPage(request, place);
      context.headers.push('cache-control', 'no-store');
      act(context, place);
      return;
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (path.startsWith(RPC) || (act !== undefined && path !== SESSION))
      sendText(context, 405, 'method not allowed', { allow: 'POST' });
    else if (!isRead) sendText(context, 405, 'method not allowed', { allow: 'GET, HEAD' });
    else if (path === SESSION) {
      context.headers.push('cache-control', 'no-store');
      session.describe(context, place);
    } else (this.#loginOf(path) ?? (() => this.#sendPage(context)))(context, place);
  }

  /** What a path below `/console/login` does, where operators sign in at the identity provider. */
  #loginOf(path: string): ((context: RequestContext, place: Place) => void) | undefined {
    const { login, noAuth } = this.#options;
    if (login === undefined || noAuth || !path.startsWith(LOGIN)) return undefined;
    return login.actOf(path.slice(LOGIN.length), this.#base, (context, status, page) =>
      this.#withFiles(context, files => files.sendWritten(context, this.#base, status, page)),
    );
  }

  #sendPage(context: RequestContext): void {
    const { path } = context;
    const base = this.#base;
    if (path === PREFIX || path === ADMIN || path.startsWith(`${ADMIN}/`)) {
      context.headers.push('location', base, 'cache-control', 'no-store');
      sendEmpty(context, 308);
      return;
    }
    this.#withFiles(context, files => {
      if (path.startsWith(ASSETS)) files.sendAsset(context, path.slice(ASSETS.length));
      else files.sendShell(context, base);
    });
  }

  #withFiles(context: RequestContext, send: (files: ConsoleFiles) => void): void {
    this.#files ??= ConsoleFiles.load();
    this.#files.then(send).catch((error: unknown) => {
      // A later request finds files that were built meanwhile.
      this.#files = undefined;
      this.#options.onError(error);
      if (context.response.headersSent) return;
      const text = error instanceof Error ? error.message : 'the files of the console are missing';
      sendText(context, 503, text, { 'cache-control': 'no-store' });
    });
  }

  /** The path that browsers see the console at. */
  get #base(): string {
    const { settings, basePath } = this.#options;
    const below = settings.origin === undefined ? basePath : settings.origin.pathname.replace(/\/$/, '');
    return `${below}${PREFIX}/`;
  }
}
