/**
 * Methods of Buffer that work on any Uint8Array and are faster than JavaScript. All are undefined in browsers, where the
 * callers use portable code.
 */

type Slice = (this: Uint8Array, start: number, end: number) => string;
type Copy = (this: Uint8Array, to: Uint8Array, at: number, start: number, end: number) => number;

interface BufferLike {
  readonly prototype: { readonly latin1Slice?: Slice; readonly utf8Slice?: Slice; readonly copy?: Copy };
}

const methods = (globalThis as { readonly Buffer?: BufferLike }).Buffer?.prototype;

/** The string whose characters are the bytes. */
export const latin1Slice: Slice | undefined = methods?.latin1Slice;

/** The string of UTF-8 bytes. */
export const utf8Slice: Slice | undefined = methods?.utf8Slice;

/** Copies bytes between arrays. */
export const nativeCopy: Copy | undefined = methods?.copy;
