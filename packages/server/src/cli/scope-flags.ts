import { choice, list, type Resolved, type Setting, valueFlag } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { ROLES } from '@msg/core/internal';

function listFlag(key: string, help: string): Setting<readonly string[]> {
  return { key, flag: `--${key}`, type: list, fallback: [], help: `${help}; repeatable` };
}

/** The role of a credential. */
export const ROLE_FLAG = valueFlag(
  '--role',
  choice(...ROLES),
  'admin',
  'the methods that it opens: viewer, operator or admin',
);

/** The scopes of a command's tokens. */
export const SCOPE_FLAGS = {
  scope: listFlag('scope', 'pattern the token allows'),
  verb: listFlag('verb', 'subscribe, publish or manage, for every --scope; default subscribe'),
  denyScope: listFlag('deny-scope', 'pattern the token denies, whatever else allows it'),
  denyVerb: listFlag('deny-verb', 'verb of every --deny-scope; default those of --verb'),
} as const;

interface ScopeRequest {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly deny: boolean;
}

/** The scopes of a request. @throws MsgError MSG_INVALID_ARGUMENT for verbs without a scope. */
export function scopesOf({ scope, verb, denyScope, denyVerb }: Resolved<typeof SCOPE_FLAGS>): ScopeRequest[] {
  if (verb.length > 0 && scope.length === 0 && denyScope.length === 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', '--verb needs a --scope or a --deny-scope');
  }
  if (denyVerb.length > 0 && denyScope.length === 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', '--deny-verb needs a --deny-scope');
  }
  const verbs = verb.length > 0 ? verb : ['subscribe'];
  const denied = denyVerb.length > 0 ? denyVerb : verbs;
  return [
    ...scope.map(pattern => ({ pattern, verbs, deny: false })),
    ...denyScope.map(pattern => ({ pattern, verbs: denied, deny: true })),
  ];
}
