import type { IncomingMessage } from 'node:http';
import type { NodeTotals } from '../../bounds.ts';
import { BodyBudget } from './body-budget.ts';
import type { BodyDenial, BodyEvents, BodyRule, RequestBody } from './body-contract.ts';
import { BodyReader, type BodyReaderOptions } from './body-reader.ts';
import { isReadElsewhere, parsedBody } from './parsed-body.ts';

export interface RequestBodiesOptions extends BodyReaderOptions {
  /** Bytes that all bodies under way may hold. */
  readonly bytes: number;
  /** What they hold. */
  readonly totals: Pick<NodeTotals, 'bodies' | 'anonymousBodies'>;
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
    this.#budget = new BodyBudget(options.bytes, options.totals);
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
    const body = new BodyReader(request, rule, events, this.#budget, this.#options);
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
