import type { Role, SurfaceEntry } from '../catalog/types.ts';
import type { Json, JsonObject } from '../document/json.ts';
import type { Manifest, VariableType } from '../document/types.ts';

/** A resolved document (dashboard details 10.2). Read-only: it shares parts with its input. */
export interface ResolvedTree {
  readonly manifest: Manifest;
  readonly root: ResolvedNode;
  readonly connections?: readonly ResolvedConnection[];
  readonly defaultTheme?: JsonObject;
  readonly scopeSurfaces: Readonly<Record<'$manifest' | '$theme', readonly SurfaceEntry[]>>;
  /** Surface of each type in the tree that has one, by the type's `$id`. */
  readonly surfaces: Readonly<Record<string, readonly SurfaceEntry[]>>;
}

interface ResolvedType {
  /** As authored. */
  readonly ref: string;
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

/** One node of the tree. The stages fill it in; a finished tree does not change. */
export interface ResolvedNode {
  readonly id: string;
  readonly type: ResolvedType;
  readonly role: Role;
  readonly container: boolean;
  config?: JsonObject;
  placement?: JsonObject;
  metadata?: JsonObject;
  layout?: ResolvedGrid;
  flow?: ResolvedFlow;
  varEnv?: Readonly<Record<string, VisibleVariable>>;
  binding?: ResolvedBinding;
  generated?: GeneratedForm;
  children?: ResolvedNode[];
}

/** A node and every node below it, in document order. */
export function* nodesOf(node: ResolvedNode): Generator<ResolvedNode> {
  yield node;
  for (const child of node.children ?? []) yield* nodesOf(child);
}

export interface VisibleVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly value: Json;
  readonly default?: Json;
  readonly expr?: string;
  readonly options?: readonly string[];
  /** `doc`, or the path of the declaring node. */
  readonly declaredAt: string;
}

/** The variables that are visible at one node, by name. */
export type Scope = ReadonlyMap<string, VisibleVariable>;

export interface GridPlacement {
  readonly colStart: number;
  readonly colSpan: number;
  readonly rowStart: number;
  readonly rowSpan: number;
  readonly auto?: true;
}

export interface ResolvedGrid {
  /** Fractions of the whole, summing to 1. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly gap: number;
  /** One per child, in child order. */
  readonly placements: readonly GridPlacement[];
}

export interface ResolvedFlow {
  readonly mode: 'flow';
  readonly columns: number;
  readonly cells: readonly { readonly column: number; readonly row: number }[];
}

export interface ResolvedBinding {
  readonly connectionId: string;
  readonly query?: JsonObject;
  readonly contract: {
    readonly itemType: string;
    readonly connectionId: string;
    readonly expectedResult: Json;
  };
}

export interface GeneratedWidget {
  readonly widget: string;
  readonly format?: 'json';
  readonly target: string;
  readonly field: string;
  readonly type: VariableType;
  readonly label: string;
  readonly constraints?: JsonObject;
  readonly value?: Json;
}

export interface GeneratedForm {
  readonly target: string;
  readonly widgets: readonly GeneratedWidget[];
  readonly flow: ResolvedFlow;
}

export interface ResolvedConnection {
  readonly id: string;
  readonly type: ResolvedType;
  readonly config?: JsonObject;
  readonly secretRefs?: JsonObject;
  readonly secrets?: readonly string[];
  readonly missingSecrets?: readonly string[];
}
