import { MsgError } from '@msg/core';
import type { Clock, Random } from '@msg/foundation/clock';

const CODE_BYTES = 32;
const CODE_MS = 60_000;

/** The code of a link: one at a time, for one use within a minute. Source: console, section 8. */
export class LinkCodes {
  readonly #clock: Clock;
  readonly #random: Random;
  #code = '';
  #endsAt = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A new code; an earlier one ends. */
  next(): string {
    this.#code = Buffer.from(this.#random.bytes(CODE_BYTES)).toString('base64url');
    this.#endsAt = this.#clock.monotonic() + CODE_MS;
    return this.#code;
  }

  /** @throws MsgError MSG_AUTH_DENIED, 401, for another code, or one that was used or is late */
  use(code: string): void {
    const isValid = code !== '' && code === this.#code && this.#clock.monotonic() < this.#endsAt;
    if (isValid) {
      this.#code = '';
      return;
    }
    throw MsgError.unauthenticated(
      'this link was used already, or is older than a minute: press Enter in the terminal for a new one',
    );
  }
}
