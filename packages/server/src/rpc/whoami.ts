import type { Principal } from '../auth/access/principal.ts';
import { FAR_FUTURE_S, isKeyBearer } from '../auth/api-keys/record.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { RpcHandlers } from './call.ts';

/** What vouches for a bearer: a key of the service, an API key, or the identity provider. */
function sourceOf(token: VerifiedToken): 'key' | 'api_key' | 'oidc' {
  if (token.fingerprint !== '') return 'key';
  return isKeyBearer(token) ? 'api_key' : 'oidc';
}

function whoIs(principal: Principal): ReturnType<RpcHandlers['WhoAmI']> {
  if (principal.kind === 'anonymous')
    return { subject: '', role: 'admin', scopes: [], expires_unix: 0, source: 'none' };
  const { token } = principal;
  const { scopes = [], exp } = token.claims;
  return {
    subject: token.subject,
    role: token.role,
    scopes: scopes.map(({ pat, v, deny = false }) => ({ pattern: pat, verbs: v, deny })),
    expires_unix: exp === FAR_FUTURE_S ? 0 : exp,
    source: sourceOf(token),
  };
}

/** Says what the service knows about the caller. */
export function whoAmIHandlers(): Pick<RpcHandlers, 'WhoAmI'> {
  return { WhoAmI: (_request, { principal }) => whoIs(principal) };
}
