import { MsgError } from '@msg/core';
import { isVerb, VERBS } from '@msg/core/internal';
import type { AccessControl } from '../auth/access/access-control.ts';
import { type Credential, NO_CREDENTIAL } from '../auth/access/principal.ts';
import type { RpcHandlers } from './call.ts';

/** Explains an access decision with the code that makes it. */
export function explainHandlers(access: AccessControl): Pick<RpcHandlers, 'ExplainAccess'> {
  return {
    async ExplainAccess({ name, verb, token }) {
      if (!isVerb(verb))
        throw new MsgError('MSG_INVALID_ARGUMENT', `verb must be one of ${VERBS.join(', ')}`);
      const credential: Credential = token === '' ? NO_CREDENTIAL : { kind: 'text', text: token };
      const principal = { kind: 'client', credential } as const;
      const { decision, state } = await access.explain({ principal, verb, resource: name });
      return {
        allowed: decision.allowed,
        code: decision.code ?? '',
        decided_by: decision.rule,
        detail: decision.detail,
        channel_state: state ?? 'unknown',
      };
    },
  };
}
