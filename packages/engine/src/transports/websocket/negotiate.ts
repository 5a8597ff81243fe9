import type { Encoding } from '@msg/protocol';

const JSON_PROTOCOL = 'centrifuge-json';
const PROTOBUF_PROTOCOL = 'centrifuge-protobuf';

/**
 * The sub-protocol to echo: the first one of the client's offer that is known, else none (client protocol 4.1). Offers that
 * are empty or come twice are no error.
 */
export function chooseSubprotocol(offered: string | undefined): string | undefined {
  if (offered === undefined) return undefined;
  const names = offered.split(',').map(name => name.trim());
  return names.find(name => name === JSON_PROTOCOL || name === PROTOBUF_PROTOCOL);
}

/** The encoding of a connection: the query wins over the negotiated sub-protocol. */
export function chooseEncoding(query: URLSearchParams, subprotocol: string | undefined): Encoding {
  if (query.get('cf_protocol') === 'protobuf' || query.get('format') === 'protobuf') return 'protobuf';
  return subprotocol === PROTOBUF_PROTOCOL ? 'protobuf' : 'json';
}
