import { Centrifuge, type Options, type TransportEndpoint } from 'centrifuge';
import { Centrifuge as ProtobufCentrifuge } from 'centrifuge/build/protobuf';
import { Centrifuge as EarlierCentrifuge } from 'centrifuge-5.7.4';
import { Centrifuge as EarlierProtobufCentrifuge } from 'centrifuge-5.7.4/build/protobuf';
import type { Stream } from '../kernel/stream.ts';
import type { CLIENT_VALUES, Drawn } from '../plan/switches.ts';

/** What a client writes on the wire. */
type Encoding = 'json' | 'protobuf';

/** How the stock clients of a run may differ. */
export type ClientKinds = Drawn<typeof CLIENT_VALUES>;

/** Clients as most are. */
export const PLAIN: ClientKinds = { encoding: 'json', transport: 'websocket' };

/** A stock client of a version and an encoding. */
export interface StockBuild {
  readonly isEarlier: boolean;
  readonly encoding: Encoding;
  make(endpoint: string | TransportEndpoint[], options: Partial<Options>): Centrifuge;
  /** What the application published, from what the client gives. */
  payloadOf(data: unknown): unknown;
}

type ClientClass = new (endpoint: string | TransportEndpoint[], options: Partial<Options>) => unknown;

const BUILDS: Readonly<Record<Encoding, readonly [earlier: ClientClass, latest: ClientClass]>> = {
  json: [EarlierCentrifuge, Centrifuge],
  protobuf: [EarlierProtobufCentrifuge, ProtobufCentrifuge],
};

/** How a client is connected. */
export type Transport = 'websocket' | 'http_stream' | 'sse';

/** Draws the version of a client of a transport, and its encoding as the switch says. */
export function drawBuild(
  transport: Transport,
  version: Stream,
  encodings: Stream,
  kinds: ClientKinds,
): StockBuild {
  const isEarlier = version.chance(50);
  const encoding = hasProtobuf(transport, isEarlier) ? drawEncoding(encodings, kinds) : 'json';
  const [Earlier, Latest] = BUILDS[encoding];
  const Client = isEarlier ? Earlier : Latest;
  return {
    isEarlier,
    encoding,
    // All builds have the members of the newest one that are used here.
    make: (endpoint, options) => new Client(endpoint, options) as Centrifuge,
    payloadOf: data => (encoding === 'json' ? data : parsed(data)),
  };
}

/** A payload of a Protobuf client is bytes. */
function parsed(data: unknown): unknown {
  return JSON.parse(new TextDecoder().decode(data as Uint8Array)); // as the types of that build say
}

/**
 * Server-sent events are text. 5.7.4 ends a stream of Protobuf whenever a piece of it ends inside a reply, and never gets
 * past a long one.
 */
function hasProtobuf(transport: Transport, isEarlier: boolean): boolean {
  return transport === 'websocket' || (transport === 'http_stream' && !isEarlier);
}

function drawEncoding(draw: Stream, { encoding }: ClientKinds): Encoding {
  return encoding === 'mixed' ? draw.pick<Encoding>(['json', 'protobuf']) : (encoding as Encoding); // of the switch
}
