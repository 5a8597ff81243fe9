import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '@msg/foundation/clock';
import { type TimerWheel, WheelTimer } from '../../timers/timer-wheel.ts';
import { BodyBlocks, freeBytes } from './body-blocks.ts';
import { BodyBudget } from './body-budget.ts';
import { limitChunks } from './chunk-limit.ts';
import { sendContinue } from './continue.ts';
import { isReadElsewhere, parsedBody } from './parsed-body.ts';

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

/** Bytes of one body without a pause; then everything else of the process has its turn. */
const READ_TURN_BYTES = 32_768;

const NOTHING = Buffer.alloc(0);

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

export interface RequestBodiesOptions {
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  /** Bytes that all bodies under way may hold. */
  readonly bytes: number;
  /** From the head of a request to the last byte of its body. */
  readonly timeoutMs: number;
  /** Called when a body had to be written back as JSON for the first time. */
  readonly onRewritten: () => void;
}

/**
 * Reads the bodies of requests: each within its route's limit and in time, all together within one budget of memory.
 * A body holds its part of the budget until it is released.
 */
export class RequestBodies {
  readonly #options: RequestBodiesOptions;
  readonly #budget: BodyBudget;
  #rewritten = false;

  constructor(options: RequestBodiesOptions) {
    this.#options = options;
    this.#budget = new BodyBudget(options.bytes);
  }

  /** Bytes of memory that bodies under way hold. */
  get heldBytes(): number {
    return this.#budget.heldBytes;
  }

  /**
   * Reads a body. `release` of what is returned must be called when the body is not used any more, and at the latest when
   * the request or its response is closed: it ends the reading too.
   * @param startedAt monotonic moment at which the request began
   */
  read(
    request: IncomingMessage,
    rule: BodyRule,
    events: BodyEvents,
    startedAt = this.#options.clock.monotonic(),
  ): RequestBody {
    const body = new RequestBody(request, rule, events, this.#budget, this.#options);
    if (isReadElsewhere(request)) this.#takeParsed(request, rule, events);
    else body.start(startedAt);
    return body;
  }

  #takeParsed(request: IncomingMessage, { limit }: BodyRule, events: BodyEvents): void {
    const parsed = parsedBody(request);
    if (parsed === undefined) events.onDenied('read_elsewhere');
    else if (parsed.bytes.length > limit) events.onDenied('too_large');
    else {
      if (parsed.rewritten) this.#noteRewritten();
      events.onBody(parsed.bytes);
    }
  }

  #noteRewritten(): void {
    if (this.#rewritten) return;
    this.#rewritten = true;
    this.#options.onRewritten();
  }
}

/** The deadline of a body. One function serves all. */
class BodyTimer extends WheelTimer {
  readonly body: RequestBody;

  constructor(body: RequestBody) {
    super(endLateBody);
    this.body = body;
  }
}

function endLateBody(timer: WheelTimer): void {
  if (timer instanceof BodyTimer) timer.body.tooSlow();
}

/** The body of one request. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #rule: BodyRule;
  readonly #events: BodyEvents;
  readonly #budget: BodyBudget;
  readonly #options: RequestBodiesOptions;
  readonly #deadline = new BodyTimer(this);
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
    options: RequestBodiesOptions,
  ) {
    this.#request = request;
    this.#rule = rule;
    this.#events = events;
    this.#budget = budget;
    this.#options = options;
    // The header, if any, is of digits alone: the parser sees to that.
    this.#announced = Number(request.headers['content-length'] ?? 0);
    this.#blocks = undefined;
  }

  /** Begins to read. The body has its time from `startedAt` on. */
  start(startedAt: number): void {
    if (this.#announced > this.#rule.limit) {
      this.#deny('too_large');
      return;
    }
    const request = this.#request;
    const { wheel, timeoutMs } = this.#options;
    wheel.scheduleAt(this.#deadline, startedAt + timeoutMs);
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

  /** Gives the memory back: the body is not used any more, or its peer is gone. */
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
    this.#options.wheel.cancel(this.#deadline);
  }

  /** Leaves the request, which may live on as long as its answer. */
  detach(): void {
    this.#request.off('data', this.#onData);
    if (this.#onEnd !== undefined) this.#request.off('end', this.#onEnd);
  }
}

/** A body that was read, and its hold on memory. */
export interface WholeBody {
  readonly bytes: Buffer;
  release(): void;
}

/** {@link RequestBodies.read} as a promise, which stays pending when the peer goes away. */
export function readWhole(
  bodies: RequestBodies,
  request: IncomingMessage,
  limit: number,
): Promise<WholeBody | BodyDenial> {
  return new Promise(resolve => {
    // A denial may come before `read` returns: what needs `body` waits for it.
    const settle = (outcome: Buffer | BodyDenial): void => {
      request.off('close', abandon);
      queueMicrotask(() => body.detach());
      resolve(typeof outcome === 'string' ? outcome : { bytes: outcome, release: () => body.release() });
    };
    const abandon = (): void => body.release();
    request.on('close', abandon);
    const body = bodies.read(request, { limit, anonymous: true }, { onBody: settle, onDenied: settle });
  });
}

/** The exact type that stands for Protobuf bodies (client protocol 4.2, 4.4); anything else is JSON. */
export function isProtobuf(request: IncomingMessage): boolean {
  return request.headers['content-type'] === 'application/octet-stream';
}
