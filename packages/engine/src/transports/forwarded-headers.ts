const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** The request headers that a connection keeps for its hooks. Names are lower case. */
export function forwardedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[] = [],
): Readonly<Record<string, string>> {
  if (names.length === 0) return NO_HEADERS;
  const forwarded: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) forwarded[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return forwarded;
}
