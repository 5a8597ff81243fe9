import type { Principal } from './principal.ts';

/** Subject and role of a caller as the audit records them; both are empty where no bearer is asked for. */
export function actorOf(principal: Principal): { readonly actor: string; readonly role: string } {
  if (principal.kind === 'anonymous') return { actor: '', role: '' };
  const { token, kind } = principal;
  return { actor: token.subject, role: kind === 'access' ? 'access' : token.role };
}
