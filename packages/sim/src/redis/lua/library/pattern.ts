import { libraryFailure } from '../failure.ts';
import type { Value } from '../value.ts';
import { byteAt, classEnd, isInClass, isInSet } from './pattern-classes.ts';

const MAX_CAPTURES = 32;
const UNFINISHED = -1;
const POSITION = -2;

interface Capture {
  start: number;
  length: number;
}

/** One attempt after another to match a pattern against a subject (lstrlib.c). */
export class Matcher {
  readonly subject: string;
  readonly pattern: string;
  readonly isAnchored: boolean;
  #captures: Capture[];

  constructor(subject: string, pattern: string, canBeAnchored: boolean) {
    this.subject = subject;
    this.isAnchored = canBeAnchored && byteAt(pattern, 0) === 94;
    this.pattern = this.isAnchored ? pattern.slice(1) : pattern;
    this.#captures = [];
  }

  /** Where a match that begins here ends; undefined without one. */
  matchAt(start: number): number | undefined {
    this.#captures = [];
    return this.#walk(start, 0);
  }

  /** Captures of the last match. A pattern without captures has one, the whole match, if the caller wants it. */
  captures(start: number, end: number, isWhole: boolean): Value[] {
    const count = this.#captures.length === 0 && isWhole ? 1 : this.#captures.length;
    return Array.from({ length: count }, (_, index) => this.capture(index, start, end));
  }

  /** One capture, from 0 on. */
  capture(index: number, start: number, end: number): string | number {
    const capture = this.#captures[index];
    if (capture === undefined) {
      if (index === 0) return this.subject.slice(start, end);
      throw libraryFailure('invalid capture index');
    }
    if (capture.length === UNFINISHED) throw libraryFailure('unfinished capture');
    if (capture.length === POSITION) return capture.start + 1;
    return this.subject.slice(capture.start, capture.start + capture.length);
  }

  #walk(from: number, patternFrom: number): number | undefined {
    let at = from;
    let item = patternFrom;
    const { pattern, subject } = this;
    for (;;) {
      const next = byteAt(pattern, item + 1);
      switch (byteAt(pattern, item)) {
        case 0:
          return at;
        case 40: // (
          return next === 41 ? this.#open(at, item + 2, POSITION) : this.#open(at, item + 1, UNFINISHED);
        case 41: // )
          return this.#close(at, item + 1);
        case 36: // $
          if (next === 0) return at === subject.length ? at : undefined;
          break;
        case 37: {
          const after = this.#escape(at, item, next);
          if (after === undefined) break;
          if (after === null) return undefined;
          [at, item] = after;
          continue;
        }
      }
      const end = classEnd(pattern, item);
      const isMatch = at < subject.length && isInClass(subject.charCodeAt(at), pattern, item, end);
      switch (byteAt(pattern, end)) {
        case 63: {
          // ?
          const rest = isMatch ? this.#walk(at + 1, end + 1) : undefined;
          if (rest !== undefined) return rest;
          item = end + 1;
          continue;
        }
        case 42: // *
          return this.#most(at, item, end);
        case 43: // +
          return isMatch ? this.#most(at + 1, item, end) : undefined;
        case 45: // -
          return this.#least(at, item, end);
      }
      if (!isMatch) return undefined;
      at++;
      item = end;
    }
  }

  /** `%b`, `%f` and `%1`: where to go on, null without a match, undefined for any other class. */
  #escape(at: number, item: number, letter: number): readonly [number, number] | null | undefined {
    const { pattern, subject } = this;
    if (letter === 98) {
      const end = this.#balanced(at, item + 2);
      return end === undefined ? null : [end, item + 4];
    }
    if (letter === 102) {
      const set = item + 2;
      if (byteAt(pattern, set) !== 91) throw libraryFailure("missing '[' after '%f' in pattern");
      const end = classEnd(pattern, set);
      const before = at === 0 ? 0 : subject.charCodeAt(at - 1);
      if (isInSet(before, pattern, set, end - 1) || !isInSet(byteAt(subject, at), pattern, set, end - 1))
        return null;
      return [at, end];
    }
    if (letter < 48 || letter > 57) return undefined;
    const capture = this.#captures[letter - 49];
    if (capture === undefined || capture.length === UNFINISHED) throw libraryFailure('invalid capture index');
    // The length of a position capture is below zero, which in C is more than any rest.
    const text = subject.slice(capture.start, capture.start + capture.length);
    return capture.length >= 0 && subject.startsWith(text, at) ? [at + text.length, item + 2] : null;
  }

  #balanced(at: number, item: number): number | undefined {
    const { pattern, subject } = this;
    const [open, close] = [byteAt(pattern, item), byteAt(pattern, item + 1)];
    if (open === 0 || close === 0) throw libraryFailure('unbalanced pattern');
    if (byteAt(subject, at) !== open) return undefined;
    let depth = 1;
    for (let index = at + 1; index < subject.length; index++) {
      const byte = subject.charCodeAt(index);
      if (byte === close) {
        depth--;
        if (depth === 0) return index + 1;
      } else if (byte === open) depth++;
    }
    return undefined;
  }

  #most(at: number, item: number, end: number): number | undefined {
    const { pattern, subject } = this;
    let count = 0;
    while (at + count < subject.length && isInClass(subject.charCodeAt(at + count), pattern, item, end))
      count++;
    for (; count >= 0; count--) {
      const rest = this.#walk(at + count, end + 1);
      if (rest !== undefined) return rest;
    }
    return undefined;
  }

  #least(from: number, item: number, end: number): number | undefined {
    const { pattern, subject } = this;
    for (let at = from; ; at++) {
      const rest = this.#walk(at, end + 1);
      if (rest !== undefined) return rest;
      if (at >= subject.length || !isInClass(subject.charCodeAt(at), pattern, item, end)) return undefined;
    }
  }

  #open(at: number, item: number, length: number): number | undefined {
    if (this.#captures.length >= MAX_CAPTURES) throw libraryFailure('too many captures');
    this.#captures.push({ start: at, length });
    const end = this.#walk(at, item);
    if (end === undefined) this.#captures.pop();
    return end;
  }

  #close(at: number, item: number): number | undefined {
    const capture = this.#captures.findLast(({ length }) => length === UNFINISHED);
    if (capture === undefined) throw libraryFailure('invalid pattern capture');
    capture.length = at - capture.start;
    const end = this.#walk(at, item);
    if (end === undefined) capture.length = UNFINISHED;
    return end;
  }
}
