import { MsgError, type ScopeClaim } from '@msg/core';
import { isVerb, parsePattern, VERBS } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';

/** A requested scope (messaging details, section 2). */
export interface ScopeRequest {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly deny?: boolean;
}

/** The claim of a scope. @throws MsgError MSG_INVALID_ARGUMENT for a bad pattern, no verbs or an unknown one. */
export function scopeClaim({ pattern, verbs, deny }: ScopeRequest): ScopeClaim {
  parsePattern(pattern);
  if (verbs.length === 0)
    throw new MsgError('MSG_INVALID_ARGUMENT', `scope ${pattern} needs at least one verb`);
  const unknown = verbs.find(verb => !isVerb(verb));
  if (unknown !== undefined) {
    const verbs = VERBS.join(', ');
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `verb ${JSON.stringify(unknown)} is not known; known: ${verbs}`,
    );
  }
  return { pat: pattern, v: verbs, ...defined({ deny: deny === true ? true : undefined }) };
}
