import { isVerb, MsgError, VERBS } from '@msg/core';
import type { Authorizer } from '../auth/access/authorizer.ts';
import type { RpcHandlers } from './call.ts';

/** Explains an access decision with the code that makes it. */
export function explainHandlers(authorizer: Authorizer): Pick<RpcHandlers, 'ExplainAccess'> {
  return {
    async ExplainAccess({ name, verb, token }) {
      if (!isVerb(verb))
        throw new MsgError('MSG_INVALID_ARGUMENT', `verb must be one of ${VERBS.join(', ')}`);
      const { decision, state } = await authorizer.explain({
        name,
        verb,
        credential: token === '' ? { kind: 'none' } : { kind: 'text', text: token },
      });
      return {
        allowed: decision.allowed,
        code: decision.code ?? '',
        decided_by: decision.by,
        detail: decision.detail,
        channel_state: state ?? 'unknown',
      };
    },
  };
}
