import type { Clock } from '@msg/foundation/clock';
import type { DecodeError, ServerCodec } from '@msg/protocol';
import type { Limits } from '../limits.ts';
import type { TransportInfo } from '../policy.ts';

/**
 * How encoded messages become the bytes of one write on a kind of transport. A framing is a constant: two
 * connections with the same framing object share every frame that is built.
 */
export interface Framing {
  /** Small and unique: position of this framing's frames in per-publication caches. */
  readonly key: number;
  readonly codec: ServerCodec;
  /** Joins messages, oldest first, into the bytes of one frame or one flush. */
  frame(messages: readonly Uint8Array[]): Uint8Array;
  /** What stands around one message of so many bytes that is written in pieces. Together they are one frame. */
  envelope(bytes: number): Envelope;
  /** The same where frames may be compressed (RFC 7692), for so many bytes of DEFLATE blocks. */
  readonly deflatedEnvelope?: (bytes: number) => Envelope;
}

/** What makes bytes a frame. */
export interface Envelope {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** What a transport tells its session. */
export interface TransportEvents {
  /** One complete frame or request body of commands. The bytes belong to the receiver until it returns. */
  received(frame: Uint8Array): void;
  /** What arrived cannot be cut into frames; the transport reads no further. */
  undecodable(error: DecodeError): void;
  /** The peer answered a ping of the transport's own kind. */
  pongReceived(): void;
  /** Everything handed to {@link Transport.write} has reached the operating system. */
  drained(): void;
  /** The peer went away, or the transport finished closing. Called once. */
  transportClosed(): void;
}

/** Who takes connections: a transport hands each to it. */
export interface Acceptor {
  /** True while new connections are taken. */
  readonly accepting: boolean;
  /** Takes over a connection; the transport reports to what this returns. */
  open(transport: Transport): TransportEvents;
}

/** What an endpoint needs of the node that it serves. */
export interface TransportNode extends Acceptor {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'messageBytes'>;
}

/**
 * A connection's bytes: it turns frames into writes and nothing more. It knows neither channels nor commands.
 */
export interface Transport {
  readonly info: TransportInfo;
  readonly framing: Framing;
  /** True when clients talk back through the emulation endpoint and need `session` and `node`. */
  readonly emulated: boolean;
  /** True when a disconnect is announced by a push, because there is no close frame. */
  readonly announcesDisconnect: boolean;
  /** Sends a ping of the transport's own kind; null when the protocol's pings are used. */
  readonly ping: (() => void) | null;
  /** Hands bytes over in order; `inFrame`: the frame goes on in the next write. False: full, wait for `drained`. */
  write(bytes: Uint8Array, inFrame: boolean): boolean;
  /** Bytes handed over that have not reached the operating system. */
  bufferedBytes(): number;
  /** Stops, and resumes, reading from the peer. */
  pause(): void;
  resume(): void;
  /** Ends the connection after what was written, with a reason where the transport has a place for it. */
  close(code: number, reason: string): void;
  /** Ends the connection at once; bytes not yet sent are lost. Code 3000 is told to no peer (client protocol 4.1). */
  destroy(code: number, reason: string): void;
}
