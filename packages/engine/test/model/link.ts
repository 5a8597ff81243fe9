/** A publication as it came over a connection. */
export interface ReceivedPublication {
  readonly offset: number;
  /** `bytes` are a patch. */
  readonly delta: boolean;
  readonly bytes: Uint8Array;
  /** JSON connections: the payload was the content of a JSON string. Null where there is no such difference. */
  readonly quoted: boolean | null;
}

/** The result of a subscribe. */
export interface SubscribeAnswer {
  readonly positioned: boolean;
  readonly recoverable: boolean;
  readonly recovered: boolean;
  readonly wasRecovering: boolean;
  readonly epoch: string;
  readonly offset: number;
  readonly publications: readonly ReceivedPublication[];
  readonly delta: boolean;
  /** Numeric channel id, 0 for none. */
  readonly channelId: number;
}

/** What a server says. Pushes name their channel, or give its numeric id when the name is empty. */
export type ServerMessage =
  | {
      readonly kind: 'reply';
      readonly id: number;
      readonly error: number;
      readonly answer: SubscribeAnswer | null;
    }
  | {
      readonly kind: 'publication';
      readonly channel: string;
      readonly channelId: number;
      readonly publication: ReceivedPublication;
    }
  | { readonly kind: 'unsubscribed'; readonly channel: string; readonly code: number }
  | { readonly kind: 'announcement'; readonly channel: string; readonly channelId: number };

export interface SubscribeCommand {
  readonly kind: 'subscribe';
  readonly id: number;
  readonly channel: string;
  readonly recover: boolean;
  readonly epoch: string;
  readonly offset: number;
  readonly delta: boolean;
  /** Bits: 1 numeric channel ids, 2 reject a failed recovery. */
  readonly flag: number;
}

export type ClientCommand =
  | SubscribeCommand
  | { readonly kind: 'connect'; readonly id: number; readonly token: string }
  | { readonly kind: 'unsubscribe'; readonly id: number; readonly channel: string }
  | { readonly kind: 'publish'; readonly id: number; readonly channel: string; readonly text: string };

export interface LinkEvents {
  received(message: ServerMessage): void;
  /** Nothing comes any more. Called once, but not after `hangUp`. */
  closed(code: number): void;
}

/** The client's end of one connection. */
export interface Link {
  /** Sends all commands at once; over a transport: in one frame. */
  send(commands: readonly ClientCommand[]): void;
  /** Stops reading; what the server sends piles up. */
  stopReading(): void;
  readAgain(): void;
  /** The client goes away without a word. */
  hangUp(): void;
}
