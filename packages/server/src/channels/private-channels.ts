import type { Credentials } from '@msg/core';
import { credentialsOf } from '../auth/tokens/credentials.ts';
import type { PairIssuer } from '../auth/tokens/issuer.ts';
import { type ScopeRequest, scopeClaim } from '../auth/tokens/scope-request.ts';
import type { ChannelManager } from './manager.ts';

/** A private channel and the tokens that come with it. */
export interface CreatePrivateRequest {
  readonly name: string;
  /** Inactivity TTL in milliseconds; 0 or absent means 15 min, at most 1 h. */
  readonly ttlMs?: number;
  /** `sub` of the tokens, typically a user id. */
  readonly subject?: string;
  readonly scopes?: readonly ScopeRequest[];
}

/** Creates private channels together with their first token pair. The tokens are kept nowhere. */
export class PrivateChannels {
  readonly #channels: ChannelManager;
  readonly #issuer: PairIssuer;

  constructor(channels: ChannelManager, issuer: PairIssuer) {
    this.#channels = channels;
    this.#issuer = issuer;
  }

  /**
   * @throws MsgError in this order MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT (TTL), MSG_CHANNEL_TTL_EXCEEDS_MAX,
   * MSG_INVALID_ARGUMENT (scopes), MSG_CHANNEL_EXISTS.
   */
  async create(request: CreatePrivateRequest): Promise<Credentials> {
    const { name, subject = '' } = request;
    const ttlMs = this.#channels.checkPrivate(name, request.ttlMs);
    const scopes = (request.scopes ?? []).map(scopeClaim);
    return this.#channels.createPrivate(name, ttlMs, record => {
      const pair = this.#issuer.first({ channel: name, subject, scopes, channelTtlMs: record.ttlMs });
      return credentialsOf(name, pair);
    });
  }
}
