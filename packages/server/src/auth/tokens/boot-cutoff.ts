import type { TokenType } from './claims.ts';
import type { RedemptionStore } from './refresh/contract.ts';
import type { RevocationStore } from './revocation/contract.ts';

/** The earliest accepted `iat`, Unix seconds, by token type. */
export type BootCutoffs = Readonly<Partial<Record<TokenType, number>>>;

/**
 * The cutoffs for tokens of earlier processes whose state was in memory only. Without them a restart would accept revoked
 * tokens, and refresh tokens a second time (messaging details 24.5).
 *
 * @param startedAt Unix milliseconds
 */
export function bootCutoffs(
  revocations: Pick<RevocationStore, 'volatile' | 'emptySince'> | undefined,
  redemptions: Pick<RedemptionStore, 'volatile' | 'emptySince'>,
  startedAt: number,
): BootCutoffs {
  const secondOf = ({ emptySince = startedAt }: { readonly emptySince?: number }): number =>
    Math.floor(emptySince / 1000);
  if (revocations?.volatile === true) {
    const second = secondOf(revocations);
    return { access: second, refresh: second, mgmt: second };
  }
  return redemptions.volatile === true ? { refresh: secondOf(redemptions) } : {};
}
