import { defined } from '@msg/foundation/json';
/** An invalid address; the message does not contain it, because it may hold a password. */
export class InvalidAddress extends Error {
  override readonly name = 'InvalidAddress';
}

/** Where a server listens. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Location and protocol of a store. */
export interface StoreAddress {
  /** `hosts` are the server itself, the Sentinels, or some nodes of the cluster. */
  readonly topology: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly HostPort[];
  /** Path of a Unix socket, instead of hosts. */
  readonly socket?: string;
  /** The master's name at the Sentinels. */
  readonly master?: string;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
}

const DEFAULT_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26_379;
const FORMS =
  'host:port, redis://, rediss://, tcp://, unix://, redis+sentinel://host:port,…/<master> or redis+cluster://host:port,…';

/** scheme, credentials, hosts, path */
const ADDRESS = /^([a-z+]+):\/\/(?:([^/@]*)@)?([^/@?#]*)(\/[^?#]*)?$/;

function invalidAddress(problem: string): InvalidAddress {
  return new InvalidAddress(`${problem}; known forms: ${FORMS}`);
}

function hostPort(text: string, defaultPort: number): HostPort | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:\s[\]]+)(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  if (match?.[1] === undefined || port < 1 || port > 65_535) return undefined;
  return { host: match[1].replace(/^\[|\]$/g, ''), port };
}

function hostsOf(text: string, defaultPort: number): HostPort[] {
  return text.split(',').map(item => {
    const parsed = hostPort(item.trim(), defaultPort);
    if (parsed === undefined) throw invalidAddress('a host is invalid');
    return parsed;
  });
}

function credentials(text: string): Pick<StoreAddress, 'username' | 'password'> {
  if (text === '') return {};
  const colon = text.indexOf(':');
  try {
    const username = decodeURIComponent(colon < 0 ? text : text.slice(0, colon));
    const password = colon < 0 ? '' : decodeURIComponent(text.slice(colon + 1));
    return {
      ...defined({
        username: username === '' ? undefined : username,
        password: password === '' ? undefined : password,
      }),
    };
  } catch {
    throw invalidAddress('the credentials are not percent-encoded');
  }
}

function database(text: string): Pick<StoreAddress, 'db'> {
  if (text === '') return {};
  if (!/^\d{1,9}$/.test(text)) throw invalidAddress('the database must be a number of at most 9 digits');
  return { db: Number(text) };
}

/**
 * Reads the address of a store (messaging details, section 17). Credentials in it are percent-encoded.
 * @throws InvalidAddress
 */
export function parseStoreAddress(text: string): StoreAddress {
  if (!text.includes('://')) return { topology: 'single', hosts: hostsOf(text, DEFAULT_PORT), tls: false };
  const [, scheme = '', login = '', hosts = '', path = ''] = ADDRESS.exec(text) ?? [];
  const account = credentials(login);
  const parts = path.split('/').slice(1);
  switch (scheme) {
    case 'redis':
    case 'tcp':
    case 'rediss': {
      const tls = scheme === 'rediss';
      const list = hostsOf(hosts, DEFAULT_PORT);
      if (list.length > 1) throw invalidAddress('one host is expected');
      return { topology: 'single', hosts: list, tls, ...account, ...database(parts[0] ?? '') };
    }
    case 'unix':
      if (path === '') throw invalidAddress('the path of the socket is missing');
      return { topology: 'single', hosts: [], socket: path, tls: false, ...account };
    case 'redis+sentinel': {
      const [master = '', db = ''] = parts;
      if (master === '') throw invalidAddress('the name of the master is missing');
      const list = hostsOf(hosts, DEFAULT_SENTINEL_PORT);
      return { topology: 'sentinel', hosts: list, master, tls: false, ...account, ...database(db) };
    }
    case 'redis+cluster':
      return { topology: 'cluster', hosts: hostsOf(hosts, DEFAULT_PORT), tls: false, ...account };
    default:
      throw invalidAddress('invalid address');
  }
}

/** The address for logs and errors: no credentials. */
export function describeAddress({ topology, hosts, socket, master }: StoreAddress): string {
  if (socket !== undefined) return socket;
  const list = hosts
    .map(({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`))
    .join(',');
  if (topology === 'sentinel') return `${list} (Sentinels of ${master})`;
  return topology === 'cluster' ? `${list} (cluster)` : list;
}
