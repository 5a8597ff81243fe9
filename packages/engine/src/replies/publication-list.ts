import type { Encoding, Init, Publication, PublicationListKind } from '@msg/protocol';
import type { TagsFilter } from '../delivery/tags-filter.ts';
import { listElement } from './list-element.ts';

export interface PublicationListOptions {
  readonly channel: string;
  readonly epoch: string;
  readonly kind: PublicationListKind;
  /** The publications that were read from the stream. */
  readonly window: readonly Publication[];
  /** The client's filter; null: the client gets all. */
  readonly filter: TagsFilter | null;
  /** No patches between its publications: it is of a channel with append streams (append streams 8.2). */
  readonly withoutPatches?: boolean;
  /** A list with more payload bytes is shared with other connections. */
  readonly ownBytes: number;
}

/** The publications of one stream that a history or recovery reply holds. */
export class PublicationList {
  readonly channel: string;
  readonly epoch: string;
  readonly kind: PublicationListKind;
  readonly window: readonly Publication[];
  readonly filter: TagsFilter | null;
  /** The publications of the window that the client gets. */
  readonly publications: readonly Publication[];
  /** The first in full, each next as a patch where that pays. */
  readonly delta: boolean;
  readonly #withoutPatches: boolean;
  /** Long enough to be encoded once for all connections that get it. */
  readonly isShared: boolean;

  constructor(options: PublicationListOptions, delta = false) {
    const { window, filter } = options;
    this.channel = options.channel;
    this.epoch = options.epoch;
    this.kind = options.kind;
    this.window = window;
    this.filter = filter;
    this.publications = filter === null ? window : window.filter(({ tags }) => filter.matches(tags));
    this.delta = delta;
    this.#withoutPatches = options.withoutPatches === true;
    this.isShared =
      !this.#withoutPatches && exceeds(this.publications, options.ownBytes) && isConsecutive(window);
  }

  /** The elements for the reply of one connection. A shared list is returned as it is and encoded by `EncodedStreams`. */
  elements(encoding: Encoding): readonly Init<Publication>[] {
    const { publications } = this;
    if (this.isShared) return publications;
    const withPatches = this.#withoutPatches ? 'delta-full' : 'delta-patch';
    const form = this.delta ? withPatches : 'plain';
    return publications.map((publication, i) =>
      listElement(encoding, form, publication, publications[i - 1]),
    );
  }
}

function exceeds(publications: readonly Publication[], bytes: number): boolean {
  let size = 0;
  for (let i = 0; i < publications.length && size <= bytes; i++) {
    size += (publications[i] as Publication).data.bytes.length;
  }
  return size > bytes;
}

/** Whether offsets rise, or fall, by one. */
function isConsecutive(window: readonly Publication[]): boolean {
  const step = isReversed(window) ? -1 : 1;
  for (let i = 1; i < window.length; i++) {
    if ((window[i] as Publication).offset !== (window[i - 1] as Publication).offset + step) return false;
  }
  return true;
}

/** The newest comes first. */
export function isReversed(window: readonly Publication[]): boolean {
  const [first, second] = window;
  return first !== undefined && second !== undefined && second.offset < first.offset;
}
