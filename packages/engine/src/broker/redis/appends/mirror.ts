import { Payload, type Publication } from '@msg/protocol';
import type { StateMessage } from '@msg/protocol/internal';
import type { AppendedState } from '../../../append/contract.ts';
import type { DocumentState } from '../../../append/document-state.ts';
import { GrowingDocument } from '../../../append/growing-document.ts';
import type { Tail } from '../../../append/growth.ts';
import { newPublication } from '../../../stream/publication.ts';
import type { StreamPosition } from '../../contract.ts';
import { TAILS } from './requests.ts';

const NO_BYTES = new Uint8Array(0);

/** An open message as a read of the store found it. */
export interface ReadMessage {
  readonly message: string;
  /** Of its newest state. */
  readonly offset: number;
  readonly head: Uint8Array;
  readonly tail: Tail;
  readonly body: Uint8Array;
  /** Top of the stream. */
  readonly top: StreamPosition;
}

/** The copy of an open message on a node, which gets only what is added (append streams 9.1). */
export class Mirror {
  readonly message: string;
  readonly #document: GrowingDocument;
  #state: DocumentState;
  #offset: number;
  /** The newest publication of the channel that the copy knows of. */
  #top: StreamPosition;
  /** Messages may have been lost since: a read of the store is better. */
  isDoubtful = false;

  private constructor(message: string, document: GrowingDocument, state: DocumentState, top: StreamPosition) {
    this.message = message;
    this.#document = document;
    this.#state = state;
    this.#offset = top.offset;
    this.#top = top;
  }

  static ofRead({ message, offset, head, tail, body, top }: ReadMessage): Mirror {
    const document = new GrowingDocument(head, tail);
    const mirror = new Mirror(message, document, document.grow(body, tail, null), top);
    mirror.#offset = offset;
    return mirror;
  }

  /** From the first state of a message. */
  static ofOpening({ message, head, added, tail, position }: StateMessage): Mirror {
    const open = TAILS[tail] ?? 'closed';
    const document = new GrowingDocument(Buffer.from(head ?? NO_BYTES), open);
    return new Mirror(message, document, document.grow(added, open, null), position);
  }

  get state(): DocumentState {
    return this.#state;
  }

  get top(): StreamPosition {
    return this.#top;
  }

  get bytes(): number {
    return this.#document.memoryBytes;
  }

  /** Whether it holds this state. */
  holds(message: string, offset: number, epoch: string): boolean {
    return this.message === message && this.#offset === offset && this.#top.epoch === epoch;
  }

  /** An ordinary publication came; false: others before it were missed. */
  pass({ offset, epoch }: StreamPosition): boolean {
    if (epoch !== this.#top.epoch || offset > this.#top.offset + 1) return false;
    if (offset > this.#top.offset) this.#top = { offset, epoch };
    return true;
  }

  /** Whether a state is known already. */
  knows({ position }: StateMessage): boolean {
    return position.epoch === this.#top.epoch && position.offset <= this.#top.offset;
  }

  /** Grows by a state; null: one before it was missed. */
  grow(state: StateMessage): AppendedState | null {
    const { message, position, from, head, added, tail, afterState } = state;
    const continues =
      message === this.message &&
      position.epoch === this.#top.epoch &&
      position.offset === this.#top.offset + 1 &&
      from === this.#document.bodyLength;
    if (!continues) return null;
    const previous = afterState && this.#offset === this.#top.offset ? this.#state : null;
    const newHead = head === null ? null : Buffer.from(head);
    this.#state = this.#document.grow(added, TAILS[tail] ?? 'closed', newHead);
    this.#offset = position.offset;
    this.#top = position;
    return appendedState(state, this.#state, previous);
  }

  /** The first state. */
  opened(state: StateMessage): AppendedState {
    return appendedState(state, this.#state, null);
  }
}

/** The publication of a state, whose bytes are built when they are first read. */
export function statePublication(state: DocumentState, offset: number, end: Publication | null): Publication {
  const data = Payload.ofJsonLater(() => state.toBytes());
  return newPublication(data, offset, end === null ? {} : { tags: end.tags }, end?.time ?? 0);
}

function appendedState(
  { position, end, by, opened, ended }: StateMessage,
  document: DocumentState,
  previous: DocumentState | null,
): AppendedState {
  const publication = statePublication(document, position.offset, end);
  const state = { publication, position, document, previous, opened, ended };
  return ended ? { ...state, endedBy: by } : state;
}
