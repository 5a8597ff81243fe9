import { type JsonObject, ownMember } from '../../document/json.ts';
import { DashError } from '../../errors.ts';

/** Schemes that connections dial, with their default ports. */
const PORTS: Readonly<Record<string, string>> = {
  http: '80',
  https: '443',
  ws: '80',
  wss: '443',
  postgres: '5432',
  postgresql: '5432',
};
/** Names of a scheme that mean another. */
const SAME: Readonly<Record<string, string>> = { postgresql: 'postgres' };
const SCHEME = /^([a-z]+):\/\/(?=[^/\\?#])/i;

/** Scheme, host and port of an address, in one spelling. */
export interface Origin {
  /** For example `http://127.0.0.1:9090`; the port only where it is not that of the scheme. */
  readonly text: string;
  readonly scheme: string;
  /** Name, or address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The address names a user or holds a password. */
  readonly hasUser: boolean;
  /** What follows host and port, `/` included. */
  readonly rest: string;
}

/** The origin of an address; undefined for any other text than an address of a scheme that connections dial. */
export function originOf(address: string): Origin | undefined {
  const named = SCHEME.exec(address)?.[1]?.toLowerCase() ?? '';
  const ownPort = PORTS[named];
  if (ownPort === undefined) return undefined;
  // Read as HTTP, because only then hosts of every scheme get their one spelling: 0x7f.1 is 127.0.0.1.
  const rest = address.slice(named.length + 1);
  const url = URL.parse(`http:${rest}`);
  if (url === null || url.hostname === '') return undefined;
  // Reading takes away the port that a scheme has anyhow, so two schemes are tried.
  const port = url.port || URL.parse(`ftp:${rest}`)?.port || ownPort;
  const scheme = SAME[named] ?? named;
  return {
    text: `${scheme}://${url.hostname}${port === ownPort ? '' : `:${port}`}`,
    scheme,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port),
    hasUser: url.username !== '' || url.password !== '' || /^[^/?#\\]*@/.test(rest.slice(2)),
    rest: `${url.pathname}${url.search}${url.hash}`,
  };
}

/** The origin of the `url` of a connection. @throws DashError QUERY_INVALID without one. */
export function originOfConnection(config: JsonObject): Origin {
  const url = ownMember(config, 'url');
  const origin = typeof url === 'string' ? originOf(url) : undefined;
  if (origin === undefined) throw new DashError('QUERY_INVALID', 'The connection has no url.', {});
  return origin;
}
