import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';
import { type LineDenial, lineDenial } from './json-rpc.ts';

/** Longest line of input (dashboard details 13.1). */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Reports of lines that the filter drops. */
export interface LineReports {
  /** A line was dropped unread. */
  note(reason: string): void;
  /** The answer to a line that is not a message; input waits for the promise, when there is one. */
  refuse(denial: LineDenial): Promise<void> | undefined;
  /** Awaited before the end of input is passed on. */
  settled(): Promise<void>;
}

/**
 * Forwards whole lines. It drops a line above 8 MiB or with invalid UTF-8, with a note, so that the connection stays and
 * no parser gets the line; it refuses a line that is not a JSON-RPC message and ignores a blank one. Memory is bounded by
 * the longest line.
 */
export class LineFilter extends Transform {
  #parts: Buffer[] = [];
  #length = 0;
  #skipping = false;
  #refused: Promise<void> | undefined;
  readonly #reports: LineReports;

  constructor(reports: LineReports) {
    super();
    this.#reports = reports;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at + 1));
      this.#finishLine();
      from = at + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    const refused = this.#refused;
    this.#refused = undefined;
    if (refused === undefined) done();
    else refused.then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    this.#reports.settled().then(() => done(), done);
  }

  #hold(part: Buffer): void {
    if (this.#skipping) return;
    this.#length += part.length;
    if (this.#length <= MAX_LINE_BYTES + 1) {
      this.#parts.push(part);
      return;
    }
    this.#skipping = true;
    this.#parts = [];
    this.#reports.note(`a line over ${MAX_LINE_BYTES} bytes was discarded`);
  }

  #finishLine(): void {
    if (!this.#skipping) this.#judge(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
  }

  #judge(line: Buffer): void {
    if (!isUtf8(line)) {
      this.#reports.note('a line that is not UTF-8 was discarded');
      return;
    }
    const text = line.toString();
    if (text.trim() === '') return;
    const denial = lineDenial(text);
    if (denial === undefined) this.push(line);
    else this.#refused = this.#reports.refuse(denial) ?? this.#refused;
  }
}
