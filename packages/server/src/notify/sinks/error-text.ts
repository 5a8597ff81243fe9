const MAX_LENGTH = 500;

/** The text of a failure for dead letters and logs: one line of bounded length. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
