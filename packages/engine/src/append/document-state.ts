import { documentLength, type GrownDocument } from '@msg/protocol/internal';

/** One state of a document. Later states share its memory, so it costs a few words whatever its length. */
export class DocumentState implements GrownDocument {
  readonly head: Uint8Array;
  readonly memory: Uint8Array;
  readonly bodyLength: number;
  readonly suffix: Uint8Array;
  readonly checksum: number;

  constructor({ head, memory, bodyLength, suffix, checksum }: GrownDocument) {
    this.head = head;
    this.memory = memory;
    this.bodyLength = bodyLength;
    this.suffix = suffix;
    this.checksum = checksum;
  }

  /** Bytes of the document. */
  get size(): number {
    return documentLength(this);
  }

  /** The document, in memory of its own. */
  toBytes(): Uint8Array {
    const { head, memory, bodyLength, suffix } = this;
    const out = Buffer.allocUnsafeSlow(this.size);
    out.set(head);
    out.set(memory.subarray(0, bodyLength), head.length);
    out.set(suffix, head.length + bodyLength);
    return out;
  }
}
