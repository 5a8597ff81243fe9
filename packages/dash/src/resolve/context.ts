import type { ItemType } from '../catalog/types.ts';
import type { Json } from '../document/json.ts';
import { jsonSize } from '../document/size.ts';
import type { DashNode } from '../document/types.ts';
import { DashError } from '../errors.ts';
import type { ResolvedNode, Scope } from './tree.ts';

const MAX_BUILT = 16 * 1024 * 1024;

/** A node with its type, after stage 2; `children` holds the nodes below it, a wrapper's content included. */
export interface LinkedNode {
  readonly node: DashNode;
  readonly path: string;
  readonly type: ItemType;
  readonly ref: string;
  readonly slot: 'root' | 'child' | 'content';
  readonly children: LinkedNode[];
}

/** A node after stage 5, with the data that later stages read. */
export interface ResolvedItem {
  readonly linked: LinkedNode;
  readonly resolved: ResolvedNode;
  readonly scope: Scope;
  readonly children: readonly ResolvedItem[];
}

/**
 * The limit on values that expressions, interpolation, `varEnv` and generated editors add to one tree: 16 MiB of JSON
 * text (dashboard details 18). Each of them can repeat one value many times.
 */
export class InterpolatedText {
  #left = MAX_BUILT;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  add(value: Json): void {
    this.#left -= jsonSize(value, this.#left);
    if (this.#left >= 0) return;
    throw documentInvalid(
      this.#source,
      'The values that a document builds must be at most 16 MiB of JSON; got more.',
      {
        reason: 'limit',
      },
    );
  }
}

/** The error RESOLVE_DOCUMENT_INVALID. */
export function documentInvalid(
  source: string,
  message: string,
  details: Record<string, unknown>,
): DashError {
  return new DashError('RESOLVE_DOCUMENT_INVALID', message, { source, ...details });
}

/** `start` and everything below it, in document order. */
export function* withDescendants<T extends { readonly children: readonly T[] }>(start: T): Generator<T> {
  yield start;
  for (const child of start.children) yield* withDescendants(child);
}
