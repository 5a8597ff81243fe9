import { MsgError, type Role } from '@msg/core';
import { isRole } from '@msg/core/internal';

/** What the identity provider of `auth.oidc` knows the console by. */
export interface ConsoleOidcOptions {
  readonly clientId: string;
  /** Empty, the default: a public client. */
  readonly clientSecret?: string;
  /** Default `openid email profile groups`. */
  readonly scope?: string;
}

/** Option `console` of a service: the pages for operators, below `/console`. Source: console, section 3. */
export interface ConsoleOptions {
  /** Serves the console. Default false. */
  readonly enabled?: boolean;
  /**
   * The public origin, with a path where the service is mounted below one: `https://ops.example.com/rt`. Needed behind
   * proxies that change `Host`. Default: that of each request.
   */
  readonly origin?: string;
  /** No session is more than this. Default `admin`. */
  readonly maxRole?: Role;
  /** End of a session after its begin, milliseconds: 5 min to 24 h; default 8 h. */
  readonly sessionTtlMs?: number;
  /** End of a session without a call, milliseconds: 1 min to `sessionTtlMs`; default 30 min. */
  readonly sessionIdleMs?: number;
  /** Signing in at the identity provider, which needs `oidc` and `origin`; default: with a token alone. */
  readonly oidc?: ConsoleOidcOptions;
  /**
   * The listener has a loopback address: sessions over plain HTTP start unlocked. `msg serve` knows; default false.
   */
  readonly boundToLoopback?: boolean;
}

/** Options that were checked. */
export interface ConsoleSettings {
  /** Absent: that of each request. */
  readonly origin: URL | undefined;
  readonly maxRole: Role;
  readonly sessionTtlMs: number;
  readonly sessionIdleMs: number;
  readonly boundToLoopback: boolean;
  /** Absent: sign-in takes a token alone. */
  readonly oidc: Required<ConsoleOidcOptions> | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MIN_TTL_MS = 5 * MINUTE_MS;
const MAX_TTL_MS = 24 * HOUR_MS;
const DEFAULT_TTL_MS = 8 * HOUR_MS;
const DEFAULT_SCOPE = 'openid email profile groups';
const DEFAULT_IDLE_MS = 30 * MINUTE_MS;

function invalid(name: string, problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `console.${name}: ${problem}`);
}

/** An origin of http or https, with or without a path. */
function readOrigin(text: string): URL | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === '';
  if (!isPlain || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    const display = JSON.stringify(text.slice(0, 200));
    throw invalid('origin', `must be an address such as https://ops.example.com/rt; got ${display}`);
  }
  return url;
}

function readOidc({ oidc }: ConsoleOptions, origin: URL | undefined): ConsoleSettings['oidc'] {
  if (oidc === undefined || oidc.clientId === '') return undefined;
  if (origin === undefined)
    throw invalid('oidc.client_id', 'needs console.origin: the provider sends browsers back to that address');
  const { clientId, clientSecret = '', scope = DEFAULT_SCOPE } = oidc;
  if (!scope.split(' ').includes('openid')) throw invalid('oidc.scope', 'must hold openid');
  return { clientId, clientSecret, scope };
}

/**
 * The settings of a console; `undefined` while it is off.
 * @throws MsgError MSG_INVALID_ARGUMENT with the name of the setting
 */
export function consoleSettings(options: ConsoleOptions = {}): ConsoleSettings | undefined {
  const { maxRole = 'admin', sessionTtlMs = DEFAULT_TTL_MS, boundToLoopback = false } = options;
  const { sessionIdleMs = Math.min(DEFAULT_IDLE_MS, sessionTtlMs) } = options;
  const origin = readOrigin(options.origin ?? '');
  if (!isRole(maxRole))
    throw invalid('max_role', `must be viewer, operator or admin; got ${String(maxRole)}`);
  if (!(sessionTtlMs >= MIN_TTL_MS && sessionTtlMs <= MAX_TTL_MS))
    throw invalid('session_ttl', 'must be between 5m and 24h');
  if (!(sessionIdleMs >= MINUTE_MS && sessionIdleMs <= sessionTtlMs))
    throw invalid('session_idle', 'must be between 1m and console.session_ttl');
  const oidc = readOidc(options, origin);
  if (options.enabled !== true) return undefined;
  return { oidc, origin, maxRole, sessionTtlMs, sessionIdleMs, boundToLoopback };
}
