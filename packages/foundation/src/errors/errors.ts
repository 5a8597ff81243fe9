/** The codes of a product, each with its row, which all layers read. */
export type CodeTable<Code extends string, Row> = Readonly<Record<Code, Row>>;

/** True for a text that is a code of the table. */
export function isCode<Code extends string>(table: CodeTable<Code, unknown>, value: unknown): value is Code {
  return typeof value === 'string' && Object.hasOwn(table, value);
}

/**
 * A failure with a code of a table. Each product has one table and one class made from it. Codes are stable, messages
 * are not.
 */
export abstract class CodedError<Code extends string, Row> extends Error {
  readonly code: Code;
  readonly #table: CodeTable<Code, Row>;

  /** `cause`: the failure that caused this one, if any. */
  constructor(table: CodeTable<Code, Row>, code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.#table = table;
    this.code = code;
  }

  /** The row of the code in the table. */
  get row(): Row {
    return this.#table[this.code];
  }
}
