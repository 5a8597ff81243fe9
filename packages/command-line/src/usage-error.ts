/** What a {@link UsageError} may carry besides its text. */
export interface UsageErrorOptions {
  readonly flag?: string | undefined;
  readonly remedy?: string | undefined;
  readonly cause?: unknown;
}

/** A command line, a variable of the environment or a configuration file that says something wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The flag that is wrong, where it is one. */
  readonly flag: string | undefined;
  /** What was probably meant, as it would be written; absent where nothing is near. */
  readonly remedy: string | undefined;

  constructor(message: string, options: UsageErrorOptions = {}) {
    super(message, options);
    this.flag = options.flag;
    this.remedy = options.remedy;
  }
}

/** Longest text of the caller that a message repeats. */
const MAX_DISPLAYED = 200;

/** A text of the caller as messages show it: between quotes, control characters escaped, cut when it is long. */
export function display(text: string): string {
  return JSON.stringify(text.length > MAX_DISPLAYED ? `${text.slice(0, MAX_DISPLAYED)}…` : text);
}
