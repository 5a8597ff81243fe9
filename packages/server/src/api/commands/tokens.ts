import type { Revocations } from '../../auth/tokens/revocation/revocations.ts';
import { NOTHING } from '../command.ts';
import { textOf } from '../members.ts';
import type { ApiCommands } from './rights.ts';

/** Why a token was revoked, where the API did it. */
const REASON = 'revoked by the HTTP API';

/** The commands that revoke tokens. */
export function tokenCommands(
  revocations: Pick<Revocations, 'revokeToken' | 'revokeUser'>,
): Pick<ApiCommands, 'revoke_token' | 'invalidate_user_tokens'> {
  return {
    async revoke_token(members, { rights }) {
      const id = textOf(members, 'uid');
      await rights.requireService();
      await revocations.revokeToken(id, REASON);
      return NOTHING;
    },
    async invalidate_user_tokens(members, { rights }) {
      const user = textOf(members, 'user');
      await rights.requireService();
      await revocations.revokeUser(user);
      return NOTHING;
    },
  };
}
