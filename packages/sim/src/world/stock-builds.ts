import { Centrifuge, type Options } from 'centrifuge';
import { Centrifuge as ProtobufCentrifuge } from 'centrifuge/build/protobuf';
import { Centrifuge as EarlierCentrifuge } from 'centrifuge-5.7.4';
import { Centrifuge as EarlierProtobufCentrifuge } from 'centrifuge-5.7.4/build/protobuf';
import type { Stream } from '../kernel/stream.ts';
import type { MemorySwitches } from '../plan/memory-switches.ts';

/** What a client writes on the wire. */
type Encoding = 'json' | 'protobuf';

/** How the stock clients of a run may differ. */
export type ClientKinds = Pick<MemorySwitches, 'encoding'>;

/** Clients as most are. */
export const PLAIN: ClientKinds = { encoding: 'json' };

/** A stock client of a version and an encoding. */
export interface StockBuild {
  readonly isEarlier: boolean;
  readonly encoding: Encoding;
  make(endpoint: string, options: Partial<Options>): Centrifuge;
  /** What the application published, from what the client gives. */
  payloadOf(data: unknown): unknown;
}

type ClientClass = new (endpoint: string, options: Partial<Options>) => unknown;

const BUILDS: Readonly<Record<Encoding, readonly [earlier: ClientClass, latest: ClientClass]>> = {
  json: [EarlierCentrifuge, Centrifuge],
  protobuf: [EarlierProtobufCentrifuge, ProtobufCentrifuge],
};

/** Draws the version of a client, and its encoding as the switch says. */
export function drawBuild(version: Stream, encodings: Stream, { encoding: wanted }: ClientKinds): StockBuild {
  const isEarlier = version.chance(50);
  const encoding = wanted === 'mixed' ? encodings.pick<Encoding>(['json', 'protobuf']) : (wanted as Encoding); // of the switch
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
