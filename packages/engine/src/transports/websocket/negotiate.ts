import type { Encoding } from '@msg/protocol';

const JSON_PROTOCOL = 'centrifuge-json';
const PROTOBUF_PROTOCOL = 'centrifuge-protobuf';

/** The sub-protocol to echo: the first one of the client's offer that is known, else none (client protocol 4.1). */
export function chooseSubprotocol(offered: Iterable<string>): string | false {
  for (const protocol of offered) {
    if (protocol === JSON_PROTOCOL || protocol === PROTOBUF_PROTOCOL) return protocol;
  }
  return false;
}

/** The encoding of a connection: the query wins over the negotiated sub-protocol. */
export function chooseEncoding(query: URLSearchParams, subprotocol: string): Encoding {
  if (query.get('cf_protocol') === 'protobuf' || query.get('format') === 'protobuf') return 'protobuf';
  return subprotocol === PROTOBUF_PROTOCOL ? 'protobuf' : 'json';
}
