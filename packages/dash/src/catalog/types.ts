import type { Json, JsonObject } from '../document/json.ts';
import type { VariableType } from '../document/types.ts';
import type { Validator } from './validator.ts';

export type Role = 'region' | 'wrapper' | 'widget' | 'leaf';

/** The part of a type's schema that describes its position in the tree (dashboard details 4.3); a leaf has only a role. */
export interface Behavior {
  readonly role: Role;
  readonly childPolicy?: 'regions-or-wrappers' | 'widgets';
  readonly layout?: 'grid' | 'flow' | 'none';
  readonly contentField?: string;
  readonly binds?: readonly VariableType[];
  readonly rangeCheck?: boolean;
  readonly requireOptions?: boolean;
}

/** One field that changesets may edit and overrides may set (dashboard details 9.1). */
export interface SurfaceEntry {
  /** Key of the field in the config, nested keys joined with dots. */
  readonly field: string;
  /** The segments of a dotted key. */
  readonly path?: readonly string[];
  readonly type: VariableType;
  readonly label: string;
  readonly constraints?: JsonObject;
  readonly rendering?: string;
}

/** A field with row keys, and the values of their cells (dashboard details 7.4). */
export interface RowField {
  readonly path: string;
  readonly cell: 'any' | 'number' | 'amount';
  /** The entry applies only to a config that satisfies this schema. */
  readonly applies?: Validator;
}

export interface SchemaIdentity {
  /** Canonical `$id`. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The schema file as loaded. */
  readonly schema: JsonObject;
}

/** One version of an item type. */
export interface ItemType extends SchemaIdentity {
  readonly behavior: Behavior;
  readonly surface: readonly SurfaceEntry[];
  readonly validate: Validator;
  readonly expectedResult?: Json;
  readonly validateResult?: Validator;
  readonly rowFields: readonly RowField[];
}

export interface ConnectionType extends SchemaIdentity {
  readonly validate: Validator;
  /** Checks the query of a bound item; absent where any object is a query. */
  readonly validateQuery?: Validator;
  /** Members of a query that hold no variable: the text of a statement. */
  readonly literalQuery?: readonly string[];
}

/** Types of one kind by name, the highest version first. */
export type Versions<T extends SchemaIdentity> = ReadonlyMap<string, readonly T[]>;

/** All types of the service; loaded once, immutable. */
export interface Catalog {
  readonly envelope: JsonObject;
  readonly theme: JsonObject;
  /** Base of every relative reference. */
  readonly base: string;
  readonly items: Versions<ItemType>;
  readonly connections: Versions<ConnectionType>;
  readonly scopeSurfaces: Readonly<Record<'$manifest' | '$theme', readonly SurfaceEntry[]>>;
  readonly validateEnvelope: Validator;
  readonly validateNode: Validator;
  readonly validateManifest: Validator;
  readonly validateTheme: Validator;
}
