import { DashError } from '#src/errors.ts';

/** A usage error: exit status 2. */
export function usageError(reason: string, argument?: string): DashError {
  return new DashError('CLI_INVALID', reason, { ...(argument === undefined ? {} : { argument }), reason });
}

/**
 * Puts the subcommand first, so that every flag may stand before or after it (dashboard details 16).
 *
 * @param takesValue Flags followed by a value of their own.
 */
export function commandFirst(words: readonly string[], takesValue: ReadonlySet<string>): string[] {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (takesValue.has(word)) at += 1;
    else if (!word.startsWith('-')) return [word, ...words.slice(0, at), ...words.slice(at + 1)];
  }
  return [...words];
}

/** A commit subject: one line of at most 200 characters. @throws DashError CLI_INVALID. */
export function requireSubject(message: string): string {
  if (message !== '' && message.length <= 200 && !/[\p{Cc}\u2028\u2029]/u.test(message)) return message;
  throw usageError('--message takes one line of at most 200 characters', '--message');
}
