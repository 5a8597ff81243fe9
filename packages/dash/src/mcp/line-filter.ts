import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';

/** Longest line of input (dashboard details 13.1). */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Passes whole lines on. A line over 8 MiB, or one that is not UTF-8, is dropped with a note, so that it neither ends
 * the connection nor reaches a parser. Memory stays below the longest line.
 */
export class LineFilter extends Transform {
  private parts: Buffer[] = [];
  private length = 0;
  private skipping = false;
  private readonly note: (reason: string) => void;
  private readonly settled: () => Promise<void>;

  /** @param settled awaited before the end of input is passed on. */
  constructor(note: (reason: string) => void, settled: () => Promise<void>) {
    super();
    this.note = note;
    this.settled = settled;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.hold(chunk.subarray(from, at + 1));
      this.finishLine();
      from = at + 1;
    }
    if (from < chunk.length) this.hold(chunk.subarray(from));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.settled().then(() => done(), done);
  }

  private hold(part: Buffer): void {
    if (this.skipping) return;
    this.length += part.length;
    if (this.length <= MAX_LINE_BYTES + 1) {
      this.parts.push(part);
      return;
    }
    this.skipping = true;
    this.parts = [];
    this.note(`a line over ${MAX_LINE_BYTES} bytes was discarded`);
  }

  private finishLine(): void {
    const line = Buffer.concat(this.parts);
    if (!this.skipping) {
      if (isUtf8(line)) this.push(line);
      else this.note('a line that is not UTF-8 was discarded');
    }
    this.parts = [];
    this.length = 0;
    this.skipping = false;
  }
}
