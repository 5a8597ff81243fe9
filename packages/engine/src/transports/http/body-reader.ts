import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '@msg/foundation/clock';
import { type TimerWheel, WheelTimer } from '../../timers/timer-wheel.ts';
import { BodyBlocks, freeBytes } from './body-blocks.ts';
import type { BodyBudget } from './body-budget.ts';
import type { BodyDenial, BodyEvents, BodyRule, RequestBody } from './body-contract.ts';
import { limitChunks } from './chunk-limit.ts';
import { sendContinue } from './continue.ts';

/** Bytes of one body without a pause; then everything else of the process has its turn. */
const READ_TURN_BYTES = 32_768;

const NOTHING = Buffer.alloc(0);

export interface BodyReaderOptions {
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  /** From the head of a request to the last byte of its body. */
  readonly timeoutMs: number;
}

/** One function serves the deadlines of all bodies. */
function endLateBody(timer: WheelTimer): void {
  if (timer instanceof BodyReader) timer.tooSlow();
}

/** Reads the body of one request; it is the timer of its own deadline. */
export class BodyReader extends WheelTimer implements RequestBody {
  readonly #request: IncomingMessage;
  readonly #rule: BodyRule;
  readonly #events: BodyEvents;
  readonly #budget: BodyBudget;
  readonly #options: BodyReaderOptions;
  readonly #announced: number;
  /** Absent until a body turns out to come in several pieces. */
  #blocks: BodyBlocks | undefined;
  #held = 0;
  /** Bytes that may be read before the next pause. */
  #readLeft = READ_TURN_BYTES;
  #settled = false;
  #denied = false;
  readonly #onData = (piece: Buffer): void => this.#take(piece);
  /** Absent for a body of announced length, which is known to be whole with its last byte. */
  #onEnd: (() => void) | undefined = undefined;

  constructor(
    request: IncomingMessage,
    rule: BodyRule,
    events: BodyEvents,
    budget: BodyBudget,
    options: BodyReaderOptions,
  ) {
    super(endLateBody);
    this.#request = request;
    this.#rule = rule;
    this.#events = events;
    this.#budget = budget;
    this.#options = options;
    // The header, if any, is of digits alone: the parser sees to that.
    this.#announced = Number(request.headers['content-length'] ?? 0);
  }

  /** Begins to read. The body has its time from `startedAt` on. */
  start(startedAt: number): void {
    if (this.#announced > this.#rule.limit) {
      this.#deny('too_large');
      return;
    }
    const request = this.#request;
    const { wheel, timeoutMs } = this.#options;
    wheel.scheduleAt(this, startedAt + timeoutMs);
    sendContinue(request);
    request.on('data', this.#onData);
    if (this.#announced === 0) {
      limitChunks(request, () => {
        if (!this.#settled) this.#deny('too_many_chunks');
      });
      this.#onEnd = () => {
        if (!this.#settled) this.#finish(this.#blocks?.join() ?? NOTHING);
      };
      request.on('end', this.#onEnd);
    }
    if (request.isPaused()) request.resume();
  }

  /** Its time is over. */
  tooSlow(): void {
    this.#deny('too_slow');
  }

  release(): void {
    if (!this.#settled) this.#settle();
    this.#budget.give(this.#held, this.#rule.anonymous);
    this.#held = 0;
  }

  #take(piece: Buffer): void {
    if (this.#settled) return;
    // Most bodies come in one piece, which need not be copied.
    if (this.#blocks === undefined && piece.length === this.#announced) {
      if (this.#hold(piece.length, piece, true)) this.#finish(piece);
      return;
    }
    this.#blocks ??= new BodyBlocks(this.#announced, this.#isAlone());
    const blocks = this.#blocks;
    if (blocks.size + piece.length > this.#rule.limit) this.#deny('too_large', piece);
    else if (this.#hold(blocks.growth(piece.length), piece, false)) {
      blocks.append(piece);
      if (blocks.size === this.#announced) this.#finish(blocks.join());
      else this.#countRead(piece.length);
    }
  }

  /** The kernel may have megabytes of one peer: others have their turn between pieces of them. */
  #countRead(bytes: number): void {
    this.#readLeft -= bytes;
    const { socket, httpVersionMajor } = this.#request;
    // A stream of HTTP/2 has no socket of its own, requests that frameworks make up have none.
    if (this.#readLeft > 0 || httpVersionMajor !== 1 || !(socket instanceof Socket)) return;
    socket.pause();
    this.#options.clock.afterTurn(() => {
      this.#readLeft = READ_TURN_BYTES;
      if (!this.#denied) socket.resume();
    });
  }

  /** Takes room for a piece; without room the body is denied. */
  #hold(bytes: number, piece: Buffer, whole: boolean): boolean {
    if (this.#budget.take(bytes, this.#rule.anonymous, whole)) {
      this.#held += bytes;
      return true;
    }
    this.#deny('no_room', piece);
    return false;
  }

  /** Nothing else listens to the request and may keep its pieces. */
  #isAlone(): boolean {
    return this.#request.listenerCount('data') === 1;
  }

  #finish(body: Buffer): void {
    this.#settle();
    this.#events.onBody(body);
  }

  /** @param piece that was not taken */
  #deny(reason: BodyDenial, piece?: Buffer): void {
    if (piece !== undefined && this.#isAlone()) freeBytes(piece);
    this.#denied = true;
    this.release();
    this.#request.pause();
    this.#events.onDenied(reason);
  }

  /** The reading is over. */
  #settle(): void {
    this.#settled = true;
    this.#blocks?.free();
    this.#blocks = undefined;
    this.#options.wheel.cancel(this);
  }

  detach(): void {
    this.#request.off('data', this.#onData);
    if (this.#onEnd !== undefined) this.#request.off('end', this.#onEnd);
  }
}
