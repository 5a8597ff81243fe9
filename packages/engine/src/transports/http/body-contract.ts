/** Why a body was not taken: what the answer depends on. */
export type BodyDenial =
  /** It is longer than its route takes. */
  | 'too_large'
  /** The bodies under way hold as much memory as they may. */
  | 'no_room'
  /** It was not whole in time. */
  | 'too_slow'
  /** It came in too many chunks for its size, see `limitChunks`. */
  | 'too_many_chunks'
  /** Something else read it before, and left it nowhere. */
  | 'read_elsewhere';

/** The remedy for a body that is {@link BodyDenial} `read_elsewhere`, as the answer says it. */
export const READ_ELSEWHERE = 'the body was read by a parser before msg: mount msg first';

/** The text of a denial for {@link BodyDenial} `too_many_chunks`. */
export const TOO_MANY_CHUNKS =
  'the body must not come in more than 256 chunks that hold fewer than 256 bytes on average';

/** When a request whose body found no room may be sent again, milliseconds. */
export const NO_ROOM_RETRY_MS = 1000;

/** What a route takes. */
export interface BodyRule {
  /** Most bytes. */
  readonly limit: number;
  /** The request has shown no credential. */
  readonly anonymous: boolean;
}

/** Told once what became of a body; never when the peer goes away before. */
export interface BodyEvents {
  onBody(body: Buffer): void;
  /** The rest of the body is not read. */
  onDenied(reason: BodyDenial): void;
}

/** The body of one request, which holds memory of the budget of all. */
export interface RequestBody {
  /** Gives the memory back: the body is not used any more, or its peer is gone. Ends the reading too. */
  release(): void;
  /** Removes the listeners from the request, which may live as long as its answer. */
  detach(): void;
}
