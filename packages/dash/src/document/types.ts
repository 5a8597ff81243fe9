import type { Json, JsonObject } from './json.ts';

/** A stored dashboard document that the envelope schema accepts (dashboard details 1). */
export interface DashDocument {
  readonly $schema?: string;
  readonly manifest: Manifest;
  readonly root: DashNode;
  readonly variables?: readonly VariableDeclaration[];
  readonly connections?: readonly ConnectionDeclaration[];
  readonly theme?: JsonObject;
}

export interface Manifest {
  readonly formatVersion: string;
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly author?: string;
}

/** One node of the item tree (dashboard details 2.1). */
export interface DashNode {
  readonly id: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly config?: JsonObject;
  readonly placement?: JsonObject;
  readonly variables?: readonly VariableDeclaration[];
  readonly metadata?: JsonObject;
  readonly children?: readonly DashNode[];
}

export type VariableType = 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'array' | 'object';

/** Declaration of a variable: a settable one, or a computed one with `expr` (dashboard details 6.1). */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: VariableType;
  readonly default?: Json;
  readonly expr?: string;
  readonly options?: readonly string[];
  readonly label?: string;
  readonly description?: string;
}

/** Declaration of a data source (dashboard details 7.1). */
export interface ConnectionDeclaration {
  readonly id: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly config?: JsonObject;
  readonly secretRefs?: JsonObject;
}
