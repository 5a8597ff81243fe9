import type { Encoding } from '@msg/protocol';
import { Centrifuge, type Options, type TransportEndpoint } from 'centrifuge';
import { Centrifuge as Protobuf58 } from 'centrifuge/build/protobuf';
import { Centrifuge as Json57 } from 'centrifuge-5.7.4';
import { Centrifuge as Protobuf57 } from 'centrifuge-5.7.4/build/protobuf';
import { BrowserLikeSocket, type WebSocketClass } from './browser-like-socket.ts';

/** Every case of this suite runs over each of these. */
const TRANSPORTS = ['websocket', 'http_stream', 'sse', 'webtransport'] as const;
export type TransportKind = (typeof TRANSPORTS)[number];

type CentrifugeClass = new (endpoint: string | TransportEndpoint[], options: Partial<Options>) => Centrifuge;

interface Build {
  readonly version: '5.7.4' | '5.8.0';
  readonly encoding: Encoding;
  readonly Client: CentrifugeClass;
  /** Null: the one of the runtime. */
  readonly websocket: WebSocketClass | null;
}

// The classes differ in private members only, which makes their types unrelated.
const BUILDS: readonly Build[] = [
  { version: '5.8.0', encoding: 'json', Client: Centrifuge, websocket: null },
  {
    version: '5.8.0',
    encoding: 'protobuf',
    Client: Protobuf58 as unknown as CentrifugeClass,
    websocket: null,
  },
  {
    version: '5.7.4',
    encoding: 'json',
    Client: Json57 as unknown as CentrifugeClass,
    websocket: BrowserLikeSocket,
  },
  {
    version: '5.7.4',
    encoding: 'protobuf',
    Client: Protobuf57 as unknown as CentrifugeClass,
    websocket: BrowserLikeSocket,
  },
];

/** A published client over one transport. */
export interface Stock extends Build {
  /** For test titles. */
  readonly name: string;
  readonly transport: TransportKind;
}

/** MSG_TEST_CLIENTS, a regular expression over the names, chooses some of them. */
const CHOSEN = new RegExp(process.env['MSG_TEST_CLIENTS'] ?? '');

/** Every client over every transport, unless some are chosen; server-sent events carry text only. */
export const STOCK: readonly Stock[] = TRANSPORTS.flatMap(transport =>
  BUILDS.filter(({ encoding }) => transport !== 'sse' || encoding === 'json').map(build => ({
    ...build,
    transport,
    name: `${build.version} ${build.encoding} over ${transport}`,
  })),
).filter(({ name }) => CHOSEN.test(name));

/** What an application hands to a client of this encoding as payload: a value, or the bytes of its JSON text. */
export function toPayload({ encoding }: Stock, value: unknown): unknown {
  return encoding === 'json' ? value : Buffer.from(JSON.stringify(value));
}

/** The value that a client of this encoding received as payload; `undefined` for none. */
export function fromPayload({ encoding }: Stock, data: unknown): unknown {
  if (encoding === 'json' || data === undefined) return data;
  if (!(data instanceof Uint8Array)) throw new Error(`a Protobuf client received ${typeof data}`);
  return data.length === 0 ? undefined : JSON.parse(Buffer.from(data).toString());
}
