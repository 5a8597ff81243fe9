import { type Json, type JsonObject, ownMember } from '../../document/json.ts';
import { DashError } from '../../errors.ts';
import { type Origin, originOf } from '../dial/origin.ts';

const ADDRESS =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^\s:/?#@\\]+)@(?<host>[^\s/?#@\\]+)\/(?<database>[^\s/?#@\\]+)$/;
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/;

/** How a connection is encrypted. */
type Encryption = 'verify-full' | 'require' | 'disable';

/** Where a database is, and who asks it. */
export interface SqlAddress {
  readonly origin: Origin;
  readonly user: string;
  readonly database: string;
  readonly encryption: Encryption;
}

/** The address that is dialled, without the user; any other value as it is. */
export function dialledAddress(config: JsonObject): Json | undefined {
  const url = ownMember(config, 'url');
  const { scheme, host } = (typeof url === 'string' ? ADDRESS.exec(url)?.groups : undefined) ?? {};
  return scheme === undefined || host === undefined ? url : `${scheme}${host}/`;
}

/** @throws DashError QUERY_INVALID for an address that cannot be dialled, or not without encryption. */
export function addressOf(config: JsonObject): SqlAddress {
  const url = ownMember(config, 'url');
  const dialled = dialledAddress(config);
  const { user = '', database = '' } = ADDRESS.exec(String(url))?.groups ?? {};
  const origin = typeof dialled === 'string' ? originOf(dialled) : undefined;
  if (origin === undefined || user === '') {
    throw invalid('The url of the connection must be like postgres://user@host:5432/database.', 'url');
  }
  const encryption = (ownMember(config, 'ssl') ?? 'verify-full') as Encryption;
  if (encryption === 'disable' && !isLoopback(origin.host)) {
    throw invalid('"ssl": "disable" is for a database on the same machine; use verify-full.', 'ssl');
  }
  return { origin, user: decoded(user), database: decoded(database), encryption };
}

/** True for the name and the addresses of the same machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('User and database in the url must be percent-encoded UTF-8.', 'url');
  }
}

function invalid(message: string, member: string): DashError {
  return new DashError('QUERY_INVALID', message, { member });
}
