import type { ServerResponse } from 'node:http';
import type { Publication } from '@msg/engine';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { ReaderEnd, ReadingEvents } from '../realtime/channel-reader.ts';

/** Interval of comments that keep the stream open; a reader that takes no bytes for this time is disconnected. */
const KEEP_ALIVE_MS = 15_000;
/** Bytes that are written to the socket at a time, so that a slow reader is seen to make progress. */
const PIECE_BYTES = 65_536;

/** JSON as it is, text as a string, any other bytes as their base64 with `encoding` beside it. */
function eventOf(channel: string, { offset, data }: Publication): Buffer {
  const head = `id: ${offset}\ndata: {"channel":${JSON.stringify(channel)},"offset":${offset},"data":`;
  const end = data.kind === 'binary' ? ',"encoding":"base64"}\n\n' : '}\n\n';
  return Buffer.concat([Buffer.from(head), data.json, Buffer.from(end)]);
}

/**
 * Writes the publications of one reader as server-sent events. The socket gets what it takes. A reader with more waiting
 * bytes than the limit is disconnected, except for a single large publication (as on a WebSocket, client protocol 6.6).
 */
export class EventWriter implements ReadingEvents {
  readonly #response: ServerResponse;
  readonly #channel: string;
  readonly #limitBytes: number;
  readonly #clock: Clock;
  /** Events that are not written yet; the first one may be partly written. */
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** Bytes written to the response. */
  #handedBytes = 0;
  /** Bytes that the operating system had taken at the last check. */
  #takenBytes = 0;
  /** Resolves the wait of a writer for a slow reader. */
  #resume: (() => void) | null = null;
  #ended = false;
  #keepAlive: TimerHandle | null = null;

  constructor(response: ServerResponse, channel: string, limitBytes: number, clock: Clock) {
    this.#response = response;
    this.#channel = channel;
    this.#limitBytes = limitBytes;
    this.#clock = clock;
    response.on('drain', () => this.#pump());
    response.on('close', () => this.#closed());
    this.#scheduleKeepAlive();
  }

  live(publication: Publication): void {
    const isAlone = this.#waitingBytes === 0;
    this.#write(eventOf(this.#channel, publication));
    if (!isAlone && this.#waitingBytes > this.#limitBytes) this.#response.destroy();
  }

  earlier(publication: Publication): boolean {
    this.#write(eventOf(this.#channel, publication));
    return this.#isFlowing;
  }

  writable(): Promise<void> {
    if (this.#isFlowing || this.#response.destroyed) return Promise.resolve();
    return new Promise(resolve => {
      this.#resume = resolve;
    });
  }

  ended(why: ReaderEnd): void {
    this.#stopKeepAlive();
    this.#ended = true;
    // Browsers drop events without data.
    if (why !== 'closed') {
      const data = JSON.stringify({ channel: this.#channel });
      this.#write(Buffer.from(`event: ${why}\ndata: ${data}\n\n`));
    } else this.#pump();
  }

  get #isFlowing(): boolean {
    return this.#queue.length === 0 && !this.#response.writableNeedDrain;
  }

  get #waitingBytes(): number {
    return this.#queuedBytes + this.#response.writableLength;
  }

  #write(event: Buffer): void {
    this.#queue.push(event);
    this.#queuedBytes += event.length;
    this.#pump();
  }

  #pump(): void {
    const response = this.#response;
    while (!response.writableNeedDrain && !response.destroyed) {
      const event = this.#queue[0];
      if (event === undefined) break;
      const piece = event.subarray(0, PIECE_BYTES);
      if (piece.length === event.length) this.#queue.shift();
      else this.#queue[0] = event.subarray(PIECE_BYTES);
      this.#queuedBytes -= piece.length;
      this.#handedBytes += piece.length;
      response.write(piece);
    }
    if (this.#queue.length > 0) return;
    if (this.#ended) response.end();
    if (response.writableNeedDrain) return;
    this.#wake();
  }

  #wake(): void {
    const resume = this.#resume;
    this.#resume = null;
    resume?.();
  }

  #scheduleKeepAlive(): void {
    this.#keepAlive = this.#clock.setTimeout(() => {
      if (this.#waitingBytes === 0) this.#write(Buffer.from(': ping\n\n'));
      else if (this.#isStalled()) {
        this.#response.destroy();
        return;
      }
      this.#scheduleKeepAlive();
    }, KEEP_ALIVE_MS);
  }

  /** Whether no waiting byte was taken since the last check. */
  #isStalled(): boolean {
    const taken = this.#handedBytes - this.#response.writableLength;
    const stalled = taken === this.#takenBytes;
    this.#takenBytes = taken;
    return stalled;
  }

  #closed(): void {
    this.#stopKeepAlive();
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#wake();
  }

  #stopKeepAlive(): void {
    if (this.#keepAlive !== null) this.#clock.clearTimeout(this.#keepAlive);
    this.#keepAlive = null;
  }
}
