import { isIP } from 'node:net';

/** The IPv4 address in an IPv4-mapped IPv6 address of a dual-stack socket; any other address unchanged. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

const WITH_PORT = /^(?:\[([0-9a-fA-F:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/;

/** The address of an entry, with or without a port; `undefined` for a name, `unknown` and the like. */
function addressOf(entry: string): string | undefined {
  const match = WITH_PORT.exec(entry);
  const address = match?.[1] ?? match?.[2] ?? entry;
  return isIP(address) === 0 ? undefined : plainAddress(address);
}

/**
 * The rightmost entry of `X-Forwarded-For` that is not trusted; `undefined` when it is absent or not an address. Each
 * proxy appends the peer that it saw: entries to the left of that one come from the client.
 */
export function rightmostForwardedFor(
  header: string,
  isTrusted: (address: string) => boolean,
): string | undefined {
  for (let end = header.length; end >= 0; ) {
    const comma = header.lastIndexOf(',', end - 1);
    const address = addressOf(header.slice(comma + 1, end).trim());
    if (address === undefined || !isTrusted(address)) return address;
    if (comma <= 0) return undefined;
    end = comma;
  }
  return undefined;
}

const QUOTE = '"';

/** Parts of a list, split at separators outside quotes. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === '\\') at++;
    else if (char === QUOTE) quoted = !quoted;
    else if (!quoted && char === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** A parameter of one element of `Forwarded` (RFC 7239, 4); empty without it. */
function parameterOf(element: string, name: string): string {
  for (const pair of split(element, ';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, Math.max(0, equals)).trim().toLowerCase() !== name) continue;
    const value = pair.slice(equals + 1).trim();
    return value.startsWith(QUOTE) && value.endsWith(QUOTE) && value.length > 1 ? value.slice(1, -1) : value;
  }
  return '';
}

/** The scheme that the nearest proxy says it was called by; undefined where it says none. */
export function rightmostProto(header: string): string | undefined {
  return parameterOf(split(header, ',').at(-1) ?? '', 'proto') || undefined;
}

/** The same for `Forwarded`. */
export function rightmostForwarded(
  header: string,
  isTrusted: (address: string) => boolean,
): string | undefined {
  const elements = split(header, ',');
  for (let index = elements.length - 1; index >= 0; index--) {
    const address = addressOf(parameterOf(elements[index] ?? '', 'for'));
    if (address === undefined || !isTrusted(address)) return address;
  }
  return undefined;
}
