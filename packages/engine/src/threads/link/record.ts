/** What a link carries: an event without an answer, a request, or the answer of one. The link does not read the body. */
export interface LinkRecord {
  /** 1–255; what a kind means is agreed between the two users of a link. */
  readonly kind: number;
  /** 0–127, free for the kind. */
  readonly flags: number;
  /** Owner of the stream; 0 today (threads 1). */
  readonly owner: number;
  /** 0: no answer is expected; answers carry the number of their request. */
  readonly request: number;
  readonly body: Uint8Array;
}

/** A record on its way, with the number that its writer gave it. */
export interface NumberedRecord extends LinkRecord {
  readonly sequence: number;
}

/** Set in the flags of a record whose body is on the parcel port. */
export const PARCEL_FLAG = 0x80;
