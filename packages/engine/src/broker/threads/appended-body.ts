import { Payload, type Publication } from '@msg/protocol';
import { decodePublicationRecord, EMPTY_PAYLOAD, encodePublicationRecord } from '@msg/protocol/internal';
import type { AppendEnder, AppendedState } from '../../append/contract.ts';
import { DocumentState } from '../../append/document-state.ts';
import type { BodyReader, BodyWriter } from '../../threads/link/body.ts';

/** Flags of a state's record. */
const OPENED = 1;
const ENDED = 2;
/** The body has what was added to the document that the thread keeps, and that one is the base. */
const ADDED = 4;

const ENDERS: readonly AppendEnder[] = ['producer', 'cancel', 'orphan'];

/** Writes a state. `isKnown`: the thread keeps the state before it. */
export function writeAppended(
  to: BodyWriter,
  channel: string,
  { publication, position, document, previous, endedBy }: AppendedState,
  isKnown: boolean,
): BodyWriter {
  const { head, memory, bodyLength, suffix, checksum } = document;
  const start = isKnown && previous !== null ? previous.bodyLength : 0;
  to.text(channel).f64(position.offset).text(position.epoch);
  to.u8(endedBy === undefined ? 0 : ENDERS.indexOf(endedBy) + 1);
  to.bytes(encodePublicationRecord({ ...publication, data: EMPTY_PAYLOAD }));
  to.bytes(head).bytes(suffix).u32(checksum).u32(start);
  return to.rest(memory.subarray(start, bodyLength));
}

export function appendedFlags({ opened, ended, previous }: AppendedState, isKnown: boolean): number {
  return (opened ? OPENED : 0) | (ended ? ENDED : 0) | (isKnown && previous !== null ? ADDED : 0);
}

interface ReadState {
  readonly channel: string;
  readonly state: AppendedState | null;
}

/** The documents of open messages that a thread keeps, so that it only gets what is added. */
export class DocumentCopies {
  readonly #copies = new Map<string, DocumentState>();

  /**
   * Reads a state, and keeps its document while the message is open. Null: it adds to a document that is not kept, because
   * the node unsubscribed meanwhile.
   */
  read(from: BodyReader, flags: number, keeps: (channel: string) => boolean): ReadState {
    const [channel, offset, epoch, ender] = [from.text(), from.f64(), from.text(), from.u8()];
    const record = decodePublicationRecord(from.bytes(), offset);
    const [head, suffix, checksum, start] = [from.bytes(), from.bytes(), from.u32(), from.u32()];
    const previous = (flags & ADDED) === 0 ? null : (this.#copies.get(channel) ?? null);
    if ((flags & ADDED) !== 0 && previous?.bodyLength !== start) return { channel, state: null };
    const { memory, bodyLength } = grown(previous, start, from.rest());
    const document = new DocumentState({ head, memory, bodyLength, suffix, checksum });
    const ended = (flags & ENDED) !== 0;
    if (ended || !keeps(channel)) this.#copies.delete(channel);
    else this.#copies.set(channel, document);
    const publication: Publication = { ...record, data: Payload.ofJsonLater(() => document.toBytes()) };
    const opened = (flags & OPENED) !== 0;
    const state = { publication, position: { offset, epoch }, document, previous, opened, ended };
    const endedBy = ENDERS[ender - 1];
    return { channel, state: endedBy === undefined ? state : { ...state, endedBy } };
  }

  forget(channel: string): void {
    this.#copies.delete(channel);
  }
}

/** The body with what was added; earlier states keep the memory that they began with. */
function grown(
  previous: DocumentState | null,
  start: number,
  added: Uint8Array,
): { memory: Uint8Array; bodyLength: number } {
  const bodyLength = start + added.length;
  let memory = start === 0 ? new Uint8Array(0) : (previous?.memory ?? new Uint8Array(0));
  if (memory.length < bodyLength) {
    const larger = Buffer.allocUnsafeSlow(Math.max(bodyLength, memory.length * 2));
    larger.set(memory.subarray(0, start));
    memory = larger;
  }
  memory.set(added, start);
  return { memory, bodyLength };
}
