import { EMPTY_PAYLOAD, type Payload } from '../payload/payload.ts';
import { bool, bytes, i64, message, payload, s64, str, stringMap, u64 } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ENTRIES } from '../schema/zero.ts';
import { type ClientInfo, clientInfoType } from './client-info.ts';

/** One message of a channel (client protocol 3.2). */
export interface Publication {
  /**
   * The payload with its cached classification. In a delta-negotiated subscription on a JSON connection this is
   * the JSON string that holds the payload's text, or the patch (client protocol 12.2).
   */
  readonly data: Payload;
  /** The publisher, for publications of clients. */
  readonly info: ClientInfo | null;
  /** Offset in the stream; 0 for a channel without a stream. */
  readonly offset: number;
  readonly tags: ReadonlyMap<string, string>;
  /** `data` is a patch. Between nodes: patches are permitted. */
  readonly delta: boolean;
  /** Unix milliseconds; kept in storage, not sent to clients. */
  readonly time: number;
  /** Only for wildcard subscriptions. */
  readonly channel: string;
  /** Map channels. */
  readonly key: string;
  /** Map channels. */
  readonly removed: boolean;
  /** Map channels: ordering. */
  readonly score: number;
  /** Epoch of the stream, on the first publication of it; optional. */
  readonly epoch: string;
  /** Internal to brokers, never sent to clients. */
  readonly prevData: Uint8Array | null;
  /** Map channels and shared poll. */
  readonly version: number;
}

export const publicationType: MessageType<Publication> = new MessageType<Publication>(
  'Publication',
  () => ({
    data: EMPTY_PAYLOAD,
    info: null,
    offset: 0,
    tags: NO_ENTRIES,
    delta: false,
    time: 0,
    channel: '',
    key: '',
    removed: false,
    score: 0,
    epoch: '',
    prevData: null,
    version: 0,
  }),
  () => ({
    data: payload(4),
    info: message(5, clientInfoType),
    offset: u64(6),
    tags: stringMap(7),
    delta: bool(8),
    time: i64(9),
    channel: str(10),
    key: str(11),
    removed: bool(12),
    score: s64(13),
    epoch: str(14),
    prevData: bytes(15),
    version: u64(16),
  }),
);
