/** Host and port of a listen address. */
export interface ListenAddress {
  /** Empty: every interface. */
  readonly host: string;
  readonly port: number;
}

const MAX_PORT = 65_535;

/** Reads `host:port`, `:port` or `[v6]:port`; `undefined` for another text. */
export function readListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > MAX_PORT) return undefined;
  return { host: match[1] ?? match[2] ?? '', port };
}
