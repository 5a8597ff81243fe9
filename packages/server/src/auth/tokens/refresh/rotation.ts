import { MsgError, type RefreshTokenResponse } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import type { ChannelManager } from '../../../channels/manager.ts';
import type { VerifiedToken } from '../claims.ts';
import { MAX_REFRESH_TTL_MS, type PairGrant, type PairIssuer } from '../issuer.ts';
import type { RevocationCheck } from '../revocation/contract.ts';
import type { TokenVerifier } from '../verifier.ts';
import type { RedemptionStore } from './contract.ts';

/** The longest lifetime of a refresh token plus a minute: a younger token of the family may outlive the reused one. */
const FAMILY_REVOCATION_MS = MAX_REFRESH_TTL_MS + 60_000;

/** The outcome of a refresh, for metrics. */
export type RotationOutcome = 'rotated' | 'reused' | 'family_revoked' | 'legacy';

export interface RotationOptions {
  readonly channels: ChannelManager;
  readonly verifier: TokenVerifier;
  readonly issuer: PairIssuer;
  readonly store: RedemptionStore;
  readonly isRevoked: RevocationCheck;
  readonly clock: Clock;
  readonly onOutcome: (outcome: RotationOutcome) => void;
}

function denied(text: string): MsgError {
  return new MsgError('MSG_AUTH_DENIED', text);
}

/** Redeems each refresh token once; a second use revokes its family. Source: messaging details 6.5. */
export class RefreshRotation {
  readonly #options: RotationOptions;

  constructor(options: RotationOptions) {
    this.#options = options;
  }

  /**
   * Exchanges a refresh token for a new pair.
   * @throws MsgError MSG_INVALID_ARGUMENT for an empty token, MSG_AUTH_EXPIRED, MSG_AUTH_DENIED,
   * MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED.
   */
  async refresh(text: string): Promise<RefreshTokenResponse> {
    if (text === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'refresh_token is required');
    const token = this.#options.verifier.verify('refresh', text);
    const { jti, fid } = token.claims;
    const grant = await this.#grantOf(token);
    if (await this.#options.isRevoked(token)) throw denied('the refresh token was revoked');
    if (!jti || !fid) return this.#extend(grant, token, text);
    await this.#redeem(jti, fid, token.expiresAt);
    const pair = this.#options.issuer.next(grant, fid, token.claims.exp);
    this.#options.onOutcome('rotated');
    return {
      access_token: pair.accessToken,
      expires_at: formatTimestamp(pair.accessExpiresUnix * 1000),
      access_expires_unix: pair.accessExpiresUnix,
      refresh_token: pair.refreshToken,
      refresh_expires_unix: pair.refreshExpiresUnix,
      rotated: true,
    };
  }

  /**
   * The grant of the next pair. A token of a channel needs the channel open; a token with a family end has no channel.
   */
  async #grantOf({ claims, subject }: VerifiedToken): Promise<PairGrant> {
    const { chs = [], scopes = [], fex } = claims;
    if (chs.length === 0 && fex !== undefined) return { subject, scopes, familyEndUnix: fex };
    const channel = chs[0];
    if (channel === undefined || chs.length !== 1) throw denied('the refresh token names no single channel');
    const { ttlMs } = await this.#options.channels.requireOpen(channel);
    return { channel, subject, scopes, channelTtlMs: ttlMs };
  }

  async #redeem(jti: string, fid: string, expiresAt: number): Promise<void> {
    if (await this.#options.store.isFamilyRevoked(fid)) {
      this.#options.onOutcome('family_revoked');
      throw denied('the refresh token was revoked');
    }
    if (await this.#options.store.redeem(jti, expiresAt)) return;
    await this.#options.store.revokeFamily(fid, this.#options.clock.now() + FAMILY_REVOCATION_MS);
    this.#options.onOutcome('reused');
    throw denied('the refresh token was used before');
  }

  /** A refresh token of an older issuer has no ids for a rotation: it stays valid. */
  #extend(grant: PairGrant, token: VerifiedToken, text: string): RefreshTokenResponse {
    const access = this.#options.issuer.accessOnly(grant, token.claims.exp);
    this.#options.onOutcome('legacy');
    return {
      access_token: access.token,
      expires_at: formatTimestamp(access.expiresUnix * 1000),
      access_expires_unix: access.expiresUnix,
      refresh_token: text,
      refresh_expires_unix: token.claims.exp,
      rotated: false,
    };
  }
}
