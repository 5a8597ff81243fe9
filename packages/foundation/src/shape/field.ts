/** A JSON Schema (2020-12), as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Which JSON a schema describes. */
export interface SchemaUse {
  /** What a writer writes, with every member; otherwise what a reader takes, where absent members have zero values. */
  readonly written: boolean;
  /** Unknown members are refused. */
  readonly closed: boolean;
}

/**
 * One field of JSON: how it is read, written and described, and what it is when absent. `path` names the field in
 * messages.
 */
export interface Field<T> {
  zero(): T;
  /**
   * Tolerant fields collect into `unknown` the members that they do not know; strict ones refuse them.
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

/** What is wrong with a value: its type or range, that it is absent, not known, or there under two names. */
export type ShapeProblem = 'type' | 'missing' | 'unknown' | 'twice';

/** What a {@link ShapeError} is about. */
export interface ShapeErrorDetails {
  readonly problem: ShapeProblem;
  /** Where the value is, `scopes[0].verb`; empty for the whole. */
  readonly path: string;
  /** What the value must be, or its rule: "a string". */
  readonly expected: string;
  /** The value, where it is of the wrong type. It may be a secret. */
  readonly value?: unknown;
  /** The members that are known, where one is not. */
  readonly known?: readonly string[];
}

/** JSON of another shape than it must have. The message is for callers that have no words of their own. */
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
