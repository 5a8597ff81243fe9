import { appendPatch } from '@msg/protocol/internal';
import type { AppendedState } from '../append/contract.ts';
import type { DocumentState } from '../append/document-state.ts';
import { type AddressedChannel, EncodedPublication, type StateHolder } from './encoded-push.ts';

/**
 * A state of an append stream on its way to local subscribers. The patch for receivers that hold the state `base` is made
 * of what was added since: nothing is compared, and without a full receiver the document is not built.
 */
export class EncodedState extends EncodedPublication {
  readonly document: DocumentState;
  readonly #base: DocumentState | null;
  #patch: Uint8Array | null | undefined;

  constructor(
    channel: AddressedChannel,
    state: AppendedState,
    base: DocumentState | null,
    states: StateHolder | null = null,
  ) {
    super(channel, state.publication, state.position, true, null, false, states);
    this.document = state.document;
    this.#base = base;
  }

  /** Receivers that hold `base` may get a patch. */
  override get patchable(): boolean {
    return this.#base !== null;
  }

  /** One patch for both encodings: a document has no line breaks, so its bytes are its JSON form. */
  protected override patch(): Uint8Array | null {
    if (this.#patch === undefined)
      this.#patch = this.#base === null ? null : appendPatch(this.#base, this.document);
    return this.#patch;
  }
}
