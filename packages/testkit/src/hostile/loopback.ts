/** Where a hostile socket connects to. */
export interface LoopbackAddress {
  readonly host: string;
  readonly port: number;
}

/** Names of this machine alone. Nothing else may be attacked. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Port of a URL that names none, by scheme. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80 };

/** The address of an `http:` or `ws:` URL. @throws RangeError for a host that is not loopback. */
export function loopbackAddress(url: string): LoopbackAddress {
  const { hostname, port, protocol } = new URL(url);
  const fallback = DEFAULT_PORTS[protocol];
  if (!LOOPBACK.test(hostname) || fallback === undefined) {
    throw new RangeError(
      `a hostile socket must connect to http or ws on loopback; got ${protocol}//${hostname}`,
    );
  }
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? fallback : Number(port) };
}
