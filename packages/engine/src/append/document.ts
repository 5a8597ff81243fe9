import type { DocumentState } from './document-state.ts';
import { GrowingDocument, SUFFIX } from './growing-document.ts';
import { type Growth, NO_TAIL, type Tail } from './growth.ts';
import type { AppendFormat, AppendStatus } from './status.ts';

/** What the head of a document says. */
export interface HeadFields {
  readonly id: string;
  readonly status: AppendStatus;
  readonly reason: string;
  readonly run: string;
  readonly input: string;
  /** A JSON object; null without one. */
  readonly meta: Uint8Array | null;
  readonly format: AppendFormat;
}

/** The document of one message. It only grows: every state is a prefix of the later ones but for head and suffix. */
export class AppendDocument {
  #fields: HeadFields;
  readonly #document: GrowingDocument;

  constructor(fields: HeadFields) {
    this.#fields = fields;
    this.#document = new GrowingDocument(encodeHead(fields), NO_TAIL[fields.format]);
  }

  get fields(): HeadFields {
    return this.#fields;
  }

  /** What is open at the end of the body. */
  get tail(): Tail {
    return this.#document.tail;
  }

  /** Bytes of the body. */
  get bodyLength(): number {
    return this.#document.bodyLength;
  }

  /** Bytes of the document after a growth, its end and its reason left out: those always fit. */
  sizeAfter({ bytes, tail, meta }: Growth): number {
    const before = this.#fields.meta?.length ?? -META_MEMBER;
    const after = meta === null ? before : meta.length;
    const { head, bodyLength } = this.#document;
    return head.length + after - before + bodyLength + bytes.length + SUFFIX[tail].length;
  }

  /** Applies a growth and returns the new state. */
  grow({ bytes, tail, meta, end }: Growth): DocumentState {
    const changesHead = meta !== null || end !== null;
    if (changesHead) this.#changeFields(meta, end);
    return this.#document.grow(bytes, tail, changesHead ? encodeHead(this.#fields) : null);
  }

  #changeFields(meta: Uint8Array | null, end: Growth['end']): void {
    const fields = meta === null ? this.#fields : { ...this.#fields, meta };
    this.#fields = end === null ? fields : { ...fields, status: end.status, reason: end.reason };
  }
}

/** Bytes of `,"meta":` in a head. */
const META_MEMBER = 8;

/** The bytes of a head. */
export function encodeHead({ id, status, reason, run, input, meta, format }: HeadFields): Uint8Array {
  let head = `{"id":"${id}","status":"${status}"`;
  if (reason !== '') head += `,"reason":${JSON.stringify(reason)}`;
  if (run !== '') head += `,"run":"${run}"`;
  if (input !== '') head += `,"input":"${input}"`;
  const growing = format === 'text' ? ',"text":"' : ',"items":[';
  if (meta === null) return Buffer.from(head + growing);
  return Buffer.concat([Buffer.from(`${head},"meta":`), meta, Buffer.from(growing)]);
}
