import type { TokenType } from './claims.ts';
import type { RedemptionStore } from './refresh/contract.ts';
import type { RevocationStore } from './revocation/contract.ts';

/** The earliest `iat`, Unix seconds, of the types that have one. */
export type BootCutoffs = Readonly<Partial<Record<TokenType, number>>>;

/**
 * Which tokens of earlier processes are refused: those about which a store has forgotten something, because it is in memory
 * alone. Without it a restart would forgive what was revoked, and let refresh tokens be used twice (messaging details 24.5).
 *
 * @param startedAt Unix milliseconds
 */
export function bootCutoffs(
  revocations: Pick<RevocationStore, 'volatile'> | undefined,
  redemptions: Pick<RedemptionStore, 'volatile'>,
  startedAt: number,
): BootCutoffs {
  const second = Math.floor(startedAt / 1000);
  if (revocations?.volatile === true) return { access: second, refresh: second, mgmt: second };
  return redemptions.volatile === true ? { refresh: second } : {};
}
