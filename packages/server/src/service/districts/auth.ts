import { defined } from '@msg/foundation/json';
import type { Keyring } from '../../auth/keys/keyring.ts';
import { AccessIssuer, DEFAULT_MAX_SESSION_TTL_MS } from '../../auth/tokens/access-issuer.ts';
import { bootCutoffs } from '../../auth/tokens/boot-cutoff.ts';
import { DEFAULT_ACCESS_TTL_MS, MAX_REFRESH_TTL_MS, PairIssuer } from '../../auth/tokens/issuer.ts';
import { ManagementIssuer } from '../../auth/tokens/management.ts';
import type { RedemptionStore } from '../../auth/tokens/refresh/contract.ts';
import type { RevocationCheck } from '../../auth/tokens/revocation/contract.ts';
import { Revocations } from '../../auth/tokens/revocation/revocations.ts';
import { TokenSigner } from '../../auth/tokens/signer.ts';
import { TokenVerifier, tokensOfThread } from '../../auth/tokens/verifier.ts';
import type { KeyUsageStore } from '../../auth/usage/contract.ts';
import { FileKeyUsageStore } from '../../auth/usage/file.ts';
import { KeyUsage } from '../../auth/usage/key-usage.ts';
import { errorFields } from '../../observability/logger.ts';
import type { Stores } from '../../stores/contract.ts';
import type { MsgOptions } from '../options.ts';
import type { Base, LateParts } from './base.ts';

/** Tokens: signing, verifying, revoking. */
export interface Auth {
  readonly verifier: TokenVerifier;
  readonly keyUsage: KeyUsage;
  readonly issuer: PairIssuer;
  readonly accessIssuer: AccessIssuer;
  readonly management: ManagementIssuer;
  readonly revocations: Revocations;
  readonly isRevoked: RevocationCheck;
  readonly redemptions: RedemptionStore;
}

export function composeAuth(
  { options, keyring, clock, random, stores, logger, thread }: Base,
  late: LateParts,
): Auth {
  const revocationStore = options.revocationStore === 'auto' ? stores.revocations : options.revocationStore;
  const redemptions = options.refreshStore ?? stores.redemptions;
  const signer = new TokenSigner(keyring, random, (kid, { typ, exp }) => keyUsage.issued(kid, typ, exp));
  const revocations = new Revocations(revocationStore, clock);
  const issuer = new PairIssuer({
    signer,
    clock,
    accessTtlMs: options.accessTokenTtlMs ?? DEFAULT_ACCESS_TTL_MS,
    maxRefreshTtlMs: options.maxRefreshTokenTtlMs ?? MAX_REFRESH_TTL_MS,
  });
  const verifier = new TokenVerifier({
    keyring,
    clock,
    random,
    cacheSize: tokensOfThread(thread?.of ?? 1),
    cutoffs: bootCutoffs(revocationStore, redemptions, clock.now()),
    onGone: token => keyUsage.left(token),
    onVerified: (type, ok) => late.metrics.verified(type, ok),
  });
  const store = usageStore(options, keyring, stores);
  const keyUsage = new KeyUsage({
    keyring,
    clock,
    tokens: () => verifier.tokens(),
    onError: error => logger.warn(errorFields(error), 'the use of keys was not stored'),
    ...defined({ store }),
  });
  return {
    verifier,
    keyUsage,
    issuer,
    accessIssuer: new AccessIssuer({
      issuer,
      clock,
      maxSessionTtlMs: options.maxSessionTtlMs ?? DEFAULT_MAX_SESSION_TTL_MS,
    }),
    management: new ManagementIssuer(signer, clock),
    revocations,
    isRevoked: revocations.isRevoked.bind(revocations),
    redemptions,
  };
}

/** Beside the keyring: in the shared store, or in the state directory. */
function usageStore(
  { stateDir = '' }: MsgOptions,
  keyring: Keyring,
  { keyUsage }: Stores,
): KeyUsageStore | undefined {
  if (keyUsage !== undefined && (keyring.backend === 'redis' || keyUsage.isOfProcess === true))
    return keyUsage;
  return keyring.backend === 'file' && stateDir !== '' ? new FileKeyUsageStore(stateDir) : undefined;
}
