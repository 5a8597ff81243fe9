import { MsgError } from '@msg/core';
import type { OperatorLogin } from '../auth/access/oidc/code-login.ts';
import { InvalidTokenError } from '../auth/tokens/invalid-token.ts';
import { BearerRevocation } from '../auth/tokens/revocation/bearer-revocation.ts';
import type { IdentityTokenVerifier } from '../auth/tokens/verifier.ts';
import { ConsoleGateway } from '../console/gateway.ts';
import { LoginRoutes } from '../console/login/routes.ts';
import type { ConsoleSettings } from '../console/options.ts';
import { placeOf } from '../console/place.ts';
import { SessionRoutes } from '../console/session-routes.ts';
import { MemoryConsoleSessions } from '../console/sessions/memory.ts';
import { Sessions } from '../console/sessions.ts';
import { SignIn } from '../console/sign-in.ts';
import { errorFields } from '../observability/logger.ts';
import type { RpcEntry } from '../rpc/entry.ts';
import type { Service } from '../service/compose.ts';
import type { ClientAddress } from './client-address.ts';
import type { ErrorResponder } from './error-responder.ts';
import { type RpcRouteOptions, rpcRoutes } from './rpc-routes.ts';

/** What the console is told besides its service. */
export interface ConsoleParts extends RpcRouteOptions {
  readonly console: ConsoleSettings;
  readonly basePath: string;
  readonly region: string;
  readonly oidc?: IdentityTokenVerifier | undefined;
  readonly consoleLogin?: OperatorLogin | undefined;
}

/** Why a caller of the console was refused; undefined for any other failure. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof InvalidTokenError) return 'token';
  if (!(error instanceof MsgError)) return undefined;
  return error.code === 'MSG_RATE_LIMITED' ? 'rate' : error.reason;
}

/** The sessions of operators: what they are checked with, and who is told of their numbers and ends. */
function openSessions(service: Service, settings: ConsoleSettings) {
  const { clock, random, verifier, revocations, stores, metrics, holders, sessionEnds, keyUse } = service;
  const store = stores.consoleSessions ?? new MemoryConsoleSessions(clock);
  metrics.countSessions(() => store.count(clock.now()));
  keyUse.countSessions({
    isShared: stores.consoleSessions !== undefined,
    byKey: () => store.countByKey(clock.now(), clock.now() - settings.sessionIdleMs),
  });
  const bearers = new BearerRevocation(revocations, clock);
  const isRevoked = bearers.isRevoked.bind(bearers);
  const sessions = new Sessions({
    store,
    clock,
    random,
    ttlMs: settings.sessionTtlMs,
    idleMs: settings.sessionIdleMs,
    maxRole: settings.maxRole,
    isKeyLive: token => verifier.isKeyLive(token),
    isRevoked,
    onEnded: id => sessionEnds.announce(id),
  });
  holders.checkSessions(id => sessions.isLive(id));
  return { store, sessions, isRevoked };
}

/** The console of a service. */
export function consoleGateway(
  service: Service,
  parts: ConsoleParts,
  {
    clientAddress,
    responder: plain,
  }: { readonly clientAddress: ClientAddress; readonly responder: ErrorResponder },
): ConsoleGateway {
  const { clock, random, verifier, audit, node, metrics, version, logger, onError } = service;
  const { console: settings, noAuth, oidc: provider, consoleLogin: login, basePath, region } = parts;
  const responder = plain.telling(error => {
    const reason = refusalOf(error);
    if (reason !== undefined) metrics.consoleRefused(reason);
  });
  const { store, sessions, isRevoked } = openSessions(service, settings);
  const session = new SessionRoutes({
    sessions,
    mode: 'service',
    hasProvider: login !== undefined,
    signIn: new SignIn({ verifier, provider, isRevoked, clock }),
    audit,
    bodies: node.bodies,
    clock,
    responder,
    noAuth,
    boundToLoopback: settings.boundToLoopback,
    isVolatile: store.volatile ?? false,
    version,
    region,
  });
  const saysHttps = clientAddress.saysHttps.bind(clientAddress);
  const entry: RpcEntry = {
    async authenticate(context) {
      if (noAuth) return { kind: 'anonymous' };
      const caller = await session.find(context, placeOf(context.request, settings.origin, saysHttps));
      const { token, id } = caller;
      return { kind: 'management', token, isLocked: sessions.isLocked(caller), session: id };
    },
    via: () => 'console',
    records: ['always', 'console'],
  };
  return new ConsoleGateway({
    settings,
    basePath,
    noAuth,
    saysHttps,
    session,
    login:
      login &&
      new LoginRoutes({
        provider: login,
        store,
        random,
        session,
        onFailed: error => logger.warn(errorFields(error), 'a sign-in at the identity provider failed'),
      }),
    rpc: rpcRoutes(service, parts, responder, entry),
    responder,
    onError,
  });
}
