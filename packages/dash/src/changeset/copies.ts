import { cloneJson, type Json } from '#src/document/json.ts';
import { jsonSize } from '#src/document/size.ts';
import { DashError } from '#src/errors.ts';
import { MAX_DOCUMENT_BYTES } from '#src/store/stored-document.ts';

/** What the `copy` operations of one changeset may still put in: each of them can double a document. */
export class Copies {
  private left = MAX_DOCUMENT_BYTES;

  /** A copy of `value`. @throws DashError PATCH_STRUCTURE_INVALID `{index, pointer, reason: "size"}`, before copying. */
  take(value: Json, index: number, pointer: string): Json {
    this.left -= jsonSize(value, this.left);
    if (this.left >= 0) return cloneJson(value);
    const message = `The changeset copies more than ${MAX_DOCUMENT_BYTES} bytes.`;
    throw new DashError('PATCH_STRUCTURE_INVALID', message, { index, pointer, reason: 'size' });
  }
}
