/** An expression that does not parse or evaluate; the caller adds its path and reports VAR_EXPR. */
export class ExpressionError extends Error {
  /** Zero-based position in the source, in UTF-16 units. */
  readonly offset: number | undefined;

  constructor(reason: string, offset?: number) {
    super(reason);
    this.name = 'ExpressionError';
    this.offset = offset;
  }
}
