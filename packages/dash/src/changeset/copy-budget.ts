import { cloneJson, type Json } from '../document/json.ts';
import { jsonSize, MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';

/** Bytes that the `copy` operations of one changeset may still add, because each can double a document. */
export class CopyBudget {
  #left = MAX_DOCUMENT_BYTES;

  /** A copy of `value`. @throws DashError PATCH_STRUCTURE_INVALID `{index, pointer, reason: "size"}`, before copying. */
  copy(value: Json, index: number, pointer: string): Json {
    this.#left -= jsonSize(value, this.#left);
    if (this.#left >= 0) return cloneJson(value);
    const message = `The values that a changeset copies must be at most ${MAX_DOCUMENT_BYTES} bytes; got more.`;
    throw new DashError('PATCH_STRUCTURE_INVALID', message, { index, pointer, reason: 'size' });
  }
}
