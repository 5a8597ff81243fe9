/** Why nothing was written, and what to do. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  /** One line, or more with what can be chosen. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
