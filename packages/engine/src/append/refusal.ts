import { END_BYTES, MAX_EARLY_CANCELS } from './bounds.ts';

/**
 * Why a request to append was refused (append streams 4, 5.1): no such message, a gap before the first number, another
 * message open, another producer, the message ended, the document would be too large, an ill-formed request, or one too
 * many.
 */
export type AppendRefusal =
  | 'not_found'
  | 'gap'
  | 'busy'
  | 'fenced'
  | 'closed'
  | 'too_large'
  | 'invalid'
  | 'limited';

/** A request to append that was refused. Nothing of it was applied. */
export class AppendRefused extends Error {
  override readonly name = 'AppendRefused';
  readonly kind: AppendRefusal;
  /** What the producer needs to go on: `expected_seq`, `message`, `producer`, `status`, `seq`, `max_bytes`, `size`. */
  readonly meta: Readonly<Record<string, string>>;

  constructor(kind: AppendRefusal, message: string, meta: Readonly<Record<string, string>> = {}) {
    super(message);
    this.kind = kind;
    this.meta = meta;
  }
}

/** An ill-formed request; the message says which member, and what to do. */
export function invalidAppend(message: string): AppendRefused {
  return new AppendRefused('invalid', message);
}

/** A document that cannot take what was asked; bytes of its end are kept free. */
export function documentTooLarge(size: number, maxBytes: number): AppendRefused {
  const text = `the document would have ${size} bytes; ${maxBytes - END_BYTES} are allowed beside its end`;
  return new AppendRefused('too_large', text, { max_bytes: String(maxBytes), size: String(size) });
}

/** A later request says something else about its message than the first. */
export function differentMessage(): AppendRefused {
  return invalidAppend('format, run, input and the orphan time are set when the message opens');
}

/** Too many cancels wait for messages of one channel. */
export function tooManyCancels(): AppendRefused {
  const text = `more than ${MAX_EARLY_CANCELS} cancels wait for their messages`;
  return new AppendRefused('limited', text);
}
