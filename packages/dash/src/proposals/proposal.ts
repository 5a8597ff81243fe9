import { createHash } from 'node:crypto';
import { defined } from '@msg/foundation/json';
import { canonicalText } from '../document/canonical.ts';
import { isJsonObject, type Json, type JsonObject } from '../document/json.ts';

/** What is handed over for review: a changeset for one document, and who proposes it. */
export interface ProposalRequest {
  readonly id: string;
  readonly ops: readonly Json[];
  readonly baseRevision?: string;
  /** The document does not exist yet. */
  readonly create?: true;
  /** At most 500 characters, as the proposer wrote them. */
  readonly note?: string;
  /** As a client names itself: not verified. */
  readonly proposer?: { readonly name: string; readonly version: string };
}

/** Where a proposal is on its way. Everything but `open` is final. */
export type ProposalState =
  | { readonly kind: 'open' }
  | { readonly kind: 'committed'; readonly revision?: string; readonly inverse?: ProposedInverse }
  | { readonly kind: 'returned'; readonly comment: string }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'expired' };

/** The changeset that leads back from a commit, and the revision that it expects. */
export interface ProposedInverse {
  readonly ops: readonly Json[];
  readonly expectedRevision?: string;
}

/** What a proposal is compared with, kept from when it was handed over. */
export interface ProposalBase {
  readonly document: JsonObject;
  /** What a commit expects; undefined for a creation and for a store without revisions. */
  readonly revision?: string;
  /** False where the base revision of the request could not be had any more. */
  readonly isExact: boolean;
}

/** A proposal under review. */
export interface Proposal {
  /** Ten characters that follow from the content. */
  readonly name: string;
  readonly request: ProposalRequest;
  /** A body that a browser sent is marked `link`. */
  readonly via: 'handed' | 'link';
  readonly base: ProposalBase;
  /** A person lets its queries run. */
  readonly runsQueries?: true;
  /** Unix milliseconds. */
  readonly proposedAt: number;
  readonly state: ProposalState;
}

const NAME_LENGTH = 10;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Name of a proposal: equal content has one name, so that a link is alive again when it is handed over again. */
export function proposalName({ id, ops, baseRevision, create }: ProposalRequest): string {
  const content = sorted(defined({ id, ops: [...ops], baseRevision, create }));
  const hash = createHash('sha256').update(canonicalText(content)).digest();
  return [...base32Digits(hash)].slice(0, NAME_LENGTH).join('');
}

/** Members in the order of their names, at every level. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

function* base32Digits(bytes: Uint8Array): Generator<string> {
  let [bits, count] = [0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    count += 8;
    for (; count >= 5; count -= 5) yield BASE32[(bits >>> (count - 5)) & 31] ?? '';
  }
}
