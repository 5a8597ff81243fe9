import { MsgError } from '@msg/core';
import { isVerb, VERBS } from '@msg/core/internal';
import { type Credential, NO_CREDENTIAL } from '../auth/access/principal.ts';
import type { AccessExplainer } from '../connections/explain.ts';
import type { RpcHandlers } from './call.ts';

/** Explains an access decision: of a token, of a caller without one, or of a live connection. */
export function explainHandlers(explainer: AccessExplainer): Pick<RpcHandlers, 'ExplainAccess'> {
  return {
    async ExplainAccess({ name, verb, token, client }) {
      if (!isVerb(verb))
        throw new MsgError('MSG_INVALID_ARGUMENT', `verb must be one of ${VERBS.join(', ')}`);
      if (client === '') {
        const credential: Credential = token === '' ? NO_CREDENTIAL : { kind: 'text', text: token };
        return explainer.explain({ kind: 'client', credential }, verb, name);
      }
      if (token !== '')
        throw new MsgError('MSG_INVALID_ARGUMENT', 'token is not allowed with client: its own token decides');
      const explanation = await explainer.explainConnection(client, verb, name);
      if (explanation === undefined) throw new MsgError('MSG_INVALID_ARGUMENT', 'no such connection');
      return explanation;
    },
  };
}
