import { type Encoding, jsonCodec, protobufCodec, type Reply } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { BrowserLikeSocket, type WebSocketClass } from './browser-like-socket.ts';

/** What a stock client sees on its socket, and control over what it says. */
export interface WireTap {
  /** For the client's option `websocket`. */
  readonly WebSocket: WebSocketClass;
  /** Everything received, on all connections of the client. */
  readonly replies: readonly Reply[];
  /** Pings among it. */
  readonly pings: number;
  /** WebSocket ping frames received. */
  readonly pingFrames: number;
  /** Pongs sent. */
  readonly pongs: number;
  /** While true, pongs do not leave the client. */
  muted: boolean;
  /** Waits for received frames to make the condition true. */
  until(what: string, holds: () => boolean): Promise<void>;
}

/** Listens in on a WebSocket client of this encoding. */
export function tapWebSocket({ encoding }: { readonly encoding: Encoding }): WireTap {
  const codec = encoding === 'json' ? jsonCodec : protobufCodec;
  const isPong = (frame: string | Uint8Array): boolean => Buffer.from(frame).equals(codec.join([codec.pong]));
  const replies: Reply[] = [];
  const tap = {
    WebSocket: class extends BrowserLikeSocket {
      constructor(url: string, subprotocol?: string) {
        super(url, subprotocol);
        this.on('ping', () => {
          tap.pingFrames++;
        });
        this.on('message', data => {
          const reader = codec.replies(new Uint8Array(data as ArrayBuffer)); // a copy: Buffer or ArrayBuffer
          for (let reply = reader.next(); reply !== null; reply = reader.next()) replies.push(reply);
        });
      }

      override send(frame: string | Uint8Array): void {
        if (isPong(frame)) {
          if (tap.muted) return;
          tap.pongs++;
        }
        super.send(frame);
      }
    },
    replies,
    get pings(): number {
      return replies.filter(({ id, push }) => id === 0 && push === null).length;
    },
    pingFrames: 0,
    pongs: 0,
    muted: false,
    until: (what: string, holds: () => boolean) => eventually(what, holds, 8000),
  };
  return tap;
}
