import { MsgError, type RpcMethodName, type UnknownMember } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { suggest } from '@msg/foundation/suggest';
import type { Logger } from '../observability/logger.ts';

/** Longest header value, characters. */
const MAX_HEADER = 256;
/** A member is logged once within this time. */
const WINDOW_MS = 60_000;
/** Different members logged in one window; callers choose their names. */
const MAX_RECORDS = 100;

/** A path for a header: the caller chooses it, so characters that a header cannot carry are replaced. */
function display(path: string): string {
  return path.replace(/[^\w.[\]-]/g, '?');
}

/** As many paths as fit, separated by commas. */
export function ignoredFields(unknown: readonly UnknownMember[]): string {
  let text = '';
  for (const { path } of unknown) {
    const longer = text === '' ? display(path) : `${text},${display(path)}`;
    if (longer.length > MAX_HEADER) return text === '' ? display(path).slice(0, MAX_HEADER) : text;
    text = longer;
  }
  return text;
}

/** A suggestion: the known member that starts with the name, or is nearest to it. */
function suggestion({ path, known }: UnknownMember): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const meant = known.find(member => member.toLowerCase().startsWith(name.toLowerCase()));
  const near = meant ?? suggest(name.slice(0, MAX_HEADER), known);
  return near === undefined ? `; known: ${known.join(', ')}` : `; did you mean ${near}?`;
}

/** The error of a request with unknown members. */
export function unknownMemberError(method: RpcMethodName, [first]: readonly UnknownMember[]): MsgError {
  if (first === undefined) return new MsgError('MSG_INTERNAL', 'no member is unknown');
  const path = display(first.path).slice(0, MAX_HEADER);
  return new MsgError('MSG_INVALID_ARGUMENT', `${path} is not a member of ${method}${suggestion(first)}`);
}

/** Logs unknown members, one WARN record per method and member and minute (messaging details 24.7). */
export class UnknownMemberLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #logged = new Set<string>();
  #windowEnds = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  note(method: RpcMethodName, unknown: readonly UnknownMember[]): void {
    const now = this.#clock.monotonic();
    if (now >= this.#windowEnds) {
      this.#logged.clear();
      this.#windowEnds = now + WINDOW_MS;
    }
    for (const { path } of unknown) {
      const member = display(path).slice(0, MAX_HEADER);
      const key = `${method} ${member}`;
      if (this.#logged.has(key) || this.#logged.size >= MAX_RECORDS) continue;
      this.#logged.add(key);
      this.#logger.warn({ method, member }, 'a request had a member that its method does not know');
    }
  }
}
