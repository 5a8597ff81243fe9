import { type Credentials, isVerb, MsgError, parsePattern, type ScopeClaim, VERBS } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { PairIssuer } from '../auth/tokens/issuer.ts';
import type { ChannelManager } from './manager.ts';

/** A scope as it is asked for (messaging details, section 2). */
export interface ScopeRequest {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly deny?: boolean;
}

export interface CreatePrivateRequest {
  readonly name: string;
  /** Inactivity TTL in milliseconds; 0 or absent means 15 min, at most 1 h. */
  readonly ttlMs?: number;
  /** `sub` of the tokens, typically a user id. */
  readonly subject?: string;
  readonly scopes?: readonly ScopeRequest[];
}

function scopeClaim({ pattern, verbs, deny }: ScopeRequest): ScopeClaim {
  parsePattern(pattern);
  if (verbs.length === 0)
    throw new MsgError('MSG_INVALID_ARGUMENT', `scope ${pattern} needs at least one verb`);
  const unknown = verbs.find(verb => !isVerb(verb));
  if (unknown !== undefined) {
    const verbs = VERBS.join(', ');
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `verb ${JSON.stringify(unknown)} is not known; known: ${verbs}`,
    );
  }
  return { pat: pattern, v: verbs, ...defined({ deny: deny === true ? true : undefined }) };
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
      return {
        name,
        access_token: pair.accessToken,
        refresh_token: pair.refreshToken,
        access_expires_unix: pair.accessExpiresUnix,
        refresh_expires_unix: pair.refreshExpiresUnix,
      };
    });
  }
}
