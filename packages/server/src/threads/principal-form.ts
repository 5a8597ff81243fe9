import type { Principal } from '../auth/access/principal.ts';
import { type TokenClaims, VerifiedToken } from '../auth/tokens/claims.ts';

/** A verified token as it crosses to another thread. */
export interface TokenForm {
  readonly claims: TokenClaims;
  readonly kid: string;
  readonly fingerprint: string;
  readonly role: VerifiedToken['role'];
}

export function tokenForm({ claims, kid, fingerprint, role }: VerifiedToken): TokenForm {
  return { claims, kid, fingerprint, role };
}

export function tokenOf({ claims, kid, fingerprint, role }: TokenForm): VerifiedToken {
  return new VerifiedToken(claims, kid, fingerprint, role);
}

type Authenticated = Exclude<Principal, { readonly kind: 'anonymous' }>;

/** A caller as it crosses to another thread: `null` is an anonymous one. */
export type PrincipalForm = (Omit<Authenticated, 'token'> & { readonly token: TokenForm }) | null;

export function principalForm(principal: Principal): PrincipalForm {
  return principal.kind === 'anonymous' ? null : { ...principal, token: tokenForm(principal.token) };
}

export function principalOf(form: PrincipalForm): Principal {
  return form === null ? { kind: 'anonymous' } : { ...form, token: tokenOf(form.token) };
}
