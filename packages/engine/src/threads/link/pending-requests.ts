import type { Clock } from '@msg/foundation/clock';

/** A request ends when it has not been answered for so long, as an unanswered command of a store does (threads 3.2). */
const ANSWER_MS = 5000;

/** Too many requests wait, or the link is closed: this one was not sent. */
export class LinkBusy extends Error {
  override readonly name = 'LinkBusy';
}

/** A request was not answered in time, or the link was closed before: its outcome is unknown. */
export class LinkTimeout extends Error {
  override readonly name = 'LinkTimeout';
}

interface Pending<Answer> {
  readonly askedAt: number;
  readonly answered: (answer: Answer) => void;
  readonly failed: (error: Error) => void;
}

/** Requests of one end that wait for their answers; the oldest comes first. */
export class PendingRequests<Answer> {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #pending = new Map<number, Pending<Answer>>();
  #lastId = 0;
  #isClosed = false;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Sends a request under a number of its own. @throws LinkBusy when it was not sent */
  ask(send: (id: number) => boolean): Promise<Answer> {
    if (this.#isClosed) throw new LinkBusy('the link is closed');
    if (this.#pending.size >= this.#most)
      throw new LinkBusy(`${this.#most} requests wait for the other thread`);
    this.#lastId = this.#lastId === 0xffff_ffff ? 1 : this.#lastId + 1;
    const id = this.#lastId;
    if (!send(id)) throw new LinkBusy('the other thread does not read its requests');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#pending.set(id, { askedAt: this.#clock.monotonic(), answered: resolve, failed: reject });
    return promise;
  }

  /** An answer to a request that is not waiting any more is ignored. */
  answered(id: number, answer: Answer): void {
    this.#take(id)?.answered(answer);
  }

  failed(id: number, error: Error): void {
    this.#take(id)?.failed(error);
  }

  /** Ends requests that were not answered in time. */
  expire(): void {
    const oldest = this.#clock.monotonic() - ANSWER_MS;
    for (const [id, { askedAt }] of this.#pending) {
      if (askedAt > oldest) return;
      this.failed(id, new LinkTimeout(`the other thread did not answer within ${ANSWER_MS} ms`));
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#pending.keys()])
      this.failed(id, new LinkTimeout('the link was closed before the answer came'));
  }

  #take(id: number): Pending<Answer> | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}
