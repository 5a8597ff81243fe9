import type { Catalog, ItemType } from '#src/catalog/types.ts';
import type { Json } from '#src/document/json.ts';
import { jsonSize } from '#src/document/size.ts';
import type { DashDocument, DashNode } from '#src/document/types.ts';
import { DashError } from '#src/errors.ts';
import type { OverridePlan } from './overrides.ts';
import type { ResolvedNode } from './tree.ts';
import type { Scope } from './variables.ts';

const MAX_BUILT = 16 * 1024 * 1024;

/** A node with its type, as linking leaves it; `children` holds what stands below it, a wrapper's content included. */
export interface LinkedNode {
  readonly node: DashNode;
  readonly path: string;
  readonly type: ItemType;
  readonly ref: string;
  readonly slot: 'root' | 'child' | 'content';
  readonly children: LinkedNode[];
}

/** A node after stage 5, with what the later stages ask about it. */
export interface WorkedNode {
  readonly linked: LinkedNode;
  readonly resolved: ResolvedNode;
  readonly scope: Scope;
  readonly children: readonly WorkedNode[];
}

/** What all stages of one resolution share. */
export interface Resolution {
  readonly document: DashDocument;
  readonly catalog: Catalog;
  readonly source: string;
  readonly overrides: OverridePlan;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly requireSecrets: boolean;
  readonly built: BuiltText;
}

/**
 * How much expressions, interpolation, `varEnv` and generated editors may put into one tree: 16 MiB as JSON text
 * (dashboard details 18). All of them can repeat one value many times.
 */
export class BuiltText {
  private left = MAX_BUILT;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  add(value: Json): void {
    this.left -= jsonSize(value, this.left);
    if (this.left >= 0) return;
    throw documentInvalid(this.source, 'The document builds more than 16 MiB of values.', {
      reason: 'limit',
    });
  }
}

/** RESOLVE_DOCUMENT_INVALID. */
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
