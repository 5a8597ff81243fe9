import { type CreatedCredentials, MsgError } from '@msg/core';
import type { ChannelManager } from '../../channels/manager.ts';
import { checkPrivate } from '../../channels/ttl.ts';
import { credentialsOf } from './credentials.ts';
import type { PairIssuer } from './issuer.ts';
import { type ScopeRequest, scopeClaim } from './scope-request.ts';

/** A request for a private channel and its tokens. */
export interface CreatePrivateRequest {
  readonly name: string;
  /** Inactivity TTL in milliseconds; 0 or absent means 15 min, at most 1 h. */
  readonly ttlMs?: number;
  /** `sub` of the tokens, typically a user id. */
  readonly subject?: string;
  readonly scopes?: readonly ScopeRequest[];
  /**
   * What to do when the channel exists: `error`, the default, or `reuse`: renews an open channel, and replaces its TTL if
   * there is one.
   */
  readonly ifExists?: 'error' | 'reuse';
}

/** Attempts when another caller creates or deletes the channel in between. */
const REUSE_ATTEMPTS = 3;

/** Creates private channels together with their first token pair. The tokens are not stored. */
export class PrivateChannels {
  readonly #channels: ChannelManager;
  readonly #issuer: PairIssuer;

  constructor(channels: ChannelManager, issuer: PairIssuer) {
    this.#channels = channels;
    this.#issuer = issuer;
  }

  /**
   * @throws MsgError in this order MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT (TTL), MSG_CHANNEL_TTL_EXCEEDS_MAX,
   * MSG_INVALID_ARGUMENT (scopes, `ifExists`), MSG_CHANNEL_EXISTS: with `reuse` for deleted names alone.
   */
  async create(request: CreatePrivateRequest): Promise<CreatedCredentials> {
    const { name, subject = '', ifExists = 'error' } = request;
    const ttlMs = checkPrivate(name, request.ttlMs);
    const scopes = (request.scopes ?? []).map(scopeClaim);
    if (ifExists !== 'error' && ifExists !== 'reuse') {
      const display = JSON.stringify(ifExists);
      throw new MsgError('MSG_INVALID_ARGUMENT', `if_exists must be error or reuse; got ${display}`);
    }
    const issue = (created: boolean, channelTtlMs: number): CreatedCredentials => {
      const pair = this.#issuer.first({ channel: name, subject, scopes, channelTtlMs });
      return { ...credentialsOf(name, pair), created };
    };
    for (let attempt = 1; ; attempt++) {
      const record =
        ifExists === 'reuse' ? await this.#channels.reusePrivate(name, request.ttlMs) : undefined;
      if (record !== undefined) return issue(false, record.ttlMs);
      try {
        return await this.#channels.createPrivate(name, ttlMs, created => issue(true, created.ttlMs));
      } catch (error) {
        // Another caller created it in between.
        if (ifExists === 'error' || attempt === REUSE_ATTEMPTS || !isExists(error)) throw error;
      }
    }
  }
}

function isExists(error: unknown): boolean {
  return error instanceof MsgError && error.code === 'MSG_CHANNEL_EXISTS';
}
