/** Bytes as a string of Latin-1: one character for each byte. */
export type Bytes = string;

/** A status line, as `OK`. */
export class Status {
  readonly text: Bytes;

  constructor(text: Bytes) {
    this.text = text;
  }
}

/** An error line without its `-`, as `ERR syntax error`. */
export class Failure {
  readonly text: Bytes;

  constructor(text: Bytes) {
    this.text = text;
  }
}

/** What a command answers; null is the null bulk string or the null array of RESP 2. */
export type Reply = null | number | Bytes | Status | Failure | readonly Reply[];
