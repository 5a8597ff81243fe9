/** True when an origin has the host and the port of a `Host` value. Schemes are not compared: TLS may end at a proxy. */
export function isSameHost(origin: URL, host: string): boolean {
  return origin.host === host.toLowerCase();
}

/** True when an origin has the host of an authority; ports are not compared: a listener may have one of its own. */
export function isSameHostname(origin: URL, authority: string): boolean {
  return origin.hostname !== '' && origin.hostname === URL.parse(`https://${authority}`)?.hostname;
}
