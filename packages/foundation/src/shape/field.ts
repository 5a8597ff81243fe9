/** A JSON Schema (2020-12), as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The use of a schema. */
export interface SchemaUse {
  /**
   * True: the JSON of a writer, with every member. False: the JSON for a reader, which gives absent members zero values.
   */
  readonly written: boolean;
  /** Unknown members are refused. */
  readonly closed: boolean;
}

/**
 * One field of JSON: how to read, write and describe it, and its zero value when it is absent. `path` names the field in
 * messages.
 */
export interface Field<T> {
  zero(): T;
  /**
   * Tolerant fields collect unknown members in `unknown`; strict ones refuse them.
   * @throws ShapeError when the JSON value is of another shape.
   */
  read(value: unknown, path: string, unknown?: UnknownMember[]): T;
  write(value: T): unknown;
  schema(use: SchemaUse): JsonSchema;
}

/** A member of a JSON object that its shape does not know. */
export interface UnknownMember {
  /** `scopes[0].verb` */
  readonly path: string;
  /** The members that are known there. */
  readonly known: readonly string[];
}

/** The TypeScript type of a field. */
export type Infer<F> = F extends Field<infer T> ? T : never;

/** The problem of a value: wrong type or range, absent, unknown, or present under two names. */
export type ShapeProblem = 'type' | 'missing' | 'unknown' | 'twice';

/** Details of a {@link ShapeError}. */
export interface ShapeErrorDetails {
  readonly problem: ShapeProblem;
  /** Where the value is, `scopes[0].verb`; empty for the whole. */
  readonly path: string;
  /** What the value must be, or its rule: "a string". */
  readonly expected: string;
  /** The value, where it is of the wrong type. It may be a secret. */
  readonly value?: unknown;
  /** The known members, for an unknown one. */
  readonly known?: readonly string[];
}

/** JSON that violates its shape. The message is for callers that do not make their own. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
  readonly details: ShapeErrorDetails;

  constructor(details: ShapeErrorDetails) {
    super(details.path === '' ? details.expected : `${details.path} ${details.expected}`);
    this.details = details;
  }
}

/** A {@link ShapeError} for a value that is not what it must be. */
export function mustBe(expected: string, path: string, value: unknown): ShapeError {
  return new ShapeError({ problem: 'type', path, expected: `must be ${expected}`, value });
}
