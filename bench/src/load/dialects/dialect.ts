/** Something to send, and a text of the answer to wait for. */
export interface Step {
  readonly send: Buffer;
  readonly until: string;
}

/** How the load speaks to one kind of server. */
export interface Dialect {
  /** From an open TCP connection to a subscription. */
  subscribe(channel: string): readonly Step[];
  /** What a server sends to find out whether a client lives, and the answer. */
  readonly ping: Buffer;
  readonly pong: Buffer;
  /** From an open TCP connection to one that may publish. */
  readonly publisher: readonly Step[];
  /** So many publications of a payload in one write. */
  publish(channel: string, payload: string, count: number): Buffer;
}

/** Names of the dialects. */
export type DialectName = 'msg' | 'socket.io' | 'nats';
