import type { Clock } from '@msg/foundation/clock';
import type { DecodeError, ServerCodec } from '@msg/protocol';
import type { Limits } from '../limits.ts';
import type { TransportInfo } from '../policy.ts';

/**
 * How encoded messages become the bytes of one write on a kind of transport. A framing is a constant: connections with
 * the same framing object share every frame.
 */
export interface Framing {
  /** Small and unique: position of this framing's frames in per-publication caches. */
  readonly key: number;
  readonly codec: ServerCodec;
  /** Joins messages, oldest first, into the bytes of one frame or one flush. */
  frame(messages: readonly Uint8Array[]): Uint8Array;
  /**
   * The bytes before and after one message that is written in pieces; `bytes` is the length of the message. Together they
   * are one frame.
   */
  envelope(bytes: number): Envelope;
  /** The same for compressed frames (RFC 7692); `bytes` is the length of the DEFLATE blocks. */
  readonly deflatedEnvelope?: (bytes: number) => Envelope;
}

/** The bytes around a message that make it a frame. */
export interface Envelope {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** The events that a transport reports to its session. */
export interface TransportEvents {
  /** One complete frame or request body of commands. The bytes belong to the receiver until it returns. */
  received(frame: Uint8Array): void;
  /** The input cannot be cut into frames; the transport reads no more. */
  undecodable(error: DecodeError): void;
  /** The peer answered a ping of the transport's own kind. */
  pongReceived(): void;
  /** Everything given to {@link Transport.write} has reached the operating system. */
  drained(): void;
  /** The peer disconnected, or the transport finished closing. Called once. */
  transportClosed(): void;
}

/** Accepts the connections of a transport. */
export interface Acceptor {
  /** True while new connections are accepted. */
  readonly accepting: boolean;
  /** Takes a place for a connection that is opened in this turn; false: none is accepted. */
  reserve(): boolean;
  /** Accepts a connection; the transport reports its events to the returned object. */
  open(transport: Transport): TransportEvents;
}

/** The node port of an endpoint. */
export interface TransportNode extends Acceptor {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'messageBytes'>;
}

/** The bytes of a connection: turns frames into writes. It knows neither channels nor commands. */
export interface Transport {
  readonly info: TransportInfo;
  readonly framing: Framing;
  /** True when clients send commands through the emulation endpoint and need `session` and `node`. */
  readonly emulated: boolean;
  /** True when a disconnect is sent as a push, because the transport has no close frame. */
  readonly announcesDisconnect: boolean;
  /** Sends a ping of the transport's own kind; null when the protocol's pings are used. */
  readonly ping: (() => void) | null;
  /**
   * Writes bytes in order; `inFrame`: the frame continues in the next write. Returns false when the transport is full
   * until `drained`.
   */
  write(bytes: Uint8Array, inFrame: boolean): boolean;
  /** Written bytes that have not reached the operating system. */
  bufferedBytes(): number;
  /** Stops, and resumes, reading from the peer. */
  pause(): void;
  resume(): void;
  /** Ends the connection after the written bytes, with a reason where the transport can carry one. */
  close(code: number, reason: string): void;
  /** Ends the connection at once; bytes not yet sent are lost. Code 3000 is never sent (client protocol 4.1). */
  destroy(code: number, reason: string): void;
}
