/** What a command that failed says on standard error. */
export interface ErrorLines {
  /** `error: <code>: <text>`. */
  readonly error: string;
  /** The remedy. */
  readonly tries: string;
  /** The page. */
  readonly sees: string;
}

/** Takes the three lines of a failure apart. @throws Error for a text of another form. */
export function errorLines(stderr: string): ErrorLines {
  const match = /^(error: MSG_[A-Z_]+: [^\n]+)\n {2}try: ([^\n]+)\n {2}see: (docs\/[^\n]+)$/m.exec(stderr);
  if (match === null) throw new Error(`not an error with its remedy and page:\n${stderr}`);
  const [, error = '', tries = '', sees = ''] = match;
  return { error, tries, sees };
}

/** The first line of a failure; the others are checked for their form. */
export function errorLine(stderr: string): string {
  return errorLines(stderr).error;
}
