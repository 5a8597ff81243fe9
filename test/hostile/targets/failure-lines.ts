/** A record of level error, an error's text, a line of its stack. */
const FAILURE = /"level":"error"|^\s+at |^\S*Error\b|^Uncaught/;

/** Lines of a program's standard error that speak of a failure of its own: no peer may cause one. */
export function failureLines(stderr: string): readonly string[] {
  return stderr.split('\n').filter(line => FAILURE.test(line));
}
