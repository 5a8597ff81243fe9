import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { PostgresSql } from '../contract.ts';
import { loadDriver } from './driver.ts';

/** Address of a database for `connectPostgres`. */
export interface ConnectOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /**
   * `disable`: no encryption; `require`: encrypted, the certificate is not checked; `verify-full`: certificate and name are
   * checked, against `ca` where it is given. Default: `disable` for loopback addresses, else `verify-full`.
   */
  readonly tls?: 'disable' | 'require' | 'verify-full';
  /** Certificates of the authorities, PEM. */
  readonly ca?: string;
}

const PROTOCOLS = ['postgres:', 'postgresql:'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const CONNECT_SECONDS = 10;

/** A `postgres` instance that connects when it is used. Close it with `end`. */
export interface OutboxConnection extends PostgresSql {
  end(options: { readonly timeout: number }): Promise<void>;
}

/**
 * Connects to the database of an outbox, lazily. No message has the address or a part of it.
 * @throws MsgError MSG_INVALID_ARGUMENT when the package `postgres` is not installed, or the address is not one of PostgreSQL
 */
export async function connectPostgres({ url, tls, ca }: ConnectOptions): Promise<OutboxConnection> {
  const { hostname } = requireAddress(url);
  const driver = await loadDriver();
  const mode = tls ?? (LOOPBACK.test(hostname) ? 'disable' : 'verify-full');
  return (driver as unknown as (url: string, options: object) => OutboxConnection)(url, {
    max: 2,
    ssl: SSL[mode](ca),
    prepare: false,
    fetch_types: false,
    connect_timeout: CONNECT_SECONDS,
    onnotice: () => undefined,
    connection: { application_name: 'msg outbox' },
  });
}

const SSL = {
  disable: () => false,
  require: () => ({ rejectUnauthorized: false }),
  'verify-full': (ca: string | undefined) => defined({ rejectUnauthorized: true, ca }),
} as const;

/** @throws MsgError MSG_INVALID_ARGUMENT, without the address, which holds a password */
function requireAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address !== undefined && PROTOCOLS.includes(address.protocol) && isReadable(address)) return address;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    'the address of the outbox must be postgres://user:password@host:port/database',
  );
}

/** Whether the driver can read the parts: it decodes them, and its own error has no code. */
function isReadable({ hostname, username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password + pathname);
    return hostname !== '';
  } catch {
    return false;
  }
}
