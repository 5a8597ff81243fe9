import type { Verb } from '@msg/core';
import {
  type Client,
  type ConnectDecision,
  type ConnectEvent,
  disconnect,
  errorReply,
  type ForwardPublish,
  type Policy,
  type PublishEvent,
  type RefreshDecision,
  type RefreshEvent,
  ReplyError,
  type RpcEvent,
  type StreamOptions,
  type SubRefreshDecision,
  type SubRefreshEvent,
  type SubscribeDecision,
  type SubscribeEvent,
  type Unsubscribed,
  unsubscribe,
} from '@msg/engine';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { AccessControl } from '../auth/access/access-control.ts';
import { type AccessDecision, denialError, denyState } from '../auth/access/decision.ts';
import { type Credential, NO_CREDENTIAL } from '../auth/access/principal.ts';
import { VerifiedToken } from '../auth/tokens/claims.ts';
import { InvalidTokenError } from '../auth/tokens/invalid-token.ts';
import type { TokenVerifier } from '../auth/tokens/verifier.ts';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { ClientLimits } from '../rate-limits/client-limits.ts';
import {
  ANONYMOUS,
  ConnectionCredentials,
  connectDecision,
  connectionToken,
  expiryOf,
  isBoundToConnection,
  SubscriptionCredentials,
  subscriptionToken,
} from './credentials.ts';
import type { PolicyOptions } from './policy-options.ts';
import { asReply, notOpenReply, replyError } from './replies.ts';
import { subscribeDecision } from './subscribe-decision.ts';

/** The credential of a command: its token, else that of the connection. */
function credentialOf(text: string, token: VerifiedToken | null): Credential {
  if (text !== '') return { kind: 'text', text };
  return token === null ? NO_CREDENTIAL : { kind: 'verified', token };
}

/**
 * The service's decisions for the engine about connections, subscriptions, publishes and refreshes, in the order and with
 * the codes of messaging details 6.6, 6.7 and client protocol 21.
 */
export class RealtimePolicy implements Policy {
  readonly #channels: ChannelManager;
  readonly #verifier: TokenVerifier;
  readonly #access: AccessControl;
  readonly #options: ChannelOptionRules;
  readonly #limits: ClientLimits;
  readonly #publishing: PolicyOptions['publishing'];
  readonly #commands: PolicyOptions['commands'];
  readonly #onError: (error: unknown) => void;
  /** Present only when the embedder answers `rpc` commands. */
  readonly rpc?: (client: Client, event: RpcEvent) => Promise<Uint8Array>;

  constructor(options: PolicyOptions) {
    this.#channels = options.channels;
    this.#verifier = options.verifier;
    this.#access = options.access;
    this.#options = options.options;
    this.#limits = options.limits;
    this.#publishing = options.publishing;
    this.#commands = options.commands;
    this.#onError = options.onError;
    const { clientRpc } = options;
    if (clientRpc !== undefined) {
      this.rpc = (client, { method, data }) =>
        this.#answer(async () => clientRpc({ method, data, user: client.user, clientId: client.id }));
    }
  }

  /** Runs a hook; coded errors become error replies, unexpected ones are also reported. */
  async #answer<T>(hook: () => Promise<T>): Promise<T> {
    try {
      return await hook();
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): never {
    const reply = asReply(error);
    if (reply instanceof ReplyError && reply.code === 100) this.#onError(error);
    throw reply;
  }

  connect({ client, token }: ConnectEvent): ConnectDecision {
    const { credential } = client.transport;
    if (credential instanceof VerifiedToken) return connectDecision(credential);
    if (token === '') return ANONYMOUS;
    try {
      return connectDecision(this.#verifier.verify('access', token));
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      // Only an expired access token is worth a retry; any other invalid token gives an anonymous connection.
      if (error.label === 'MSG_AUTH_EXPIRED' && error.type === 'access') throw replyError(error);
      return ANONYMOUS;
    }
  }

  subscribe(client: Client, event: SubscribeEvent): Promise<SubscribeDecision> {
    return this.#answer(async () => {
      const { channel } = event;
      const token = connectionToken(client);
      if (this.#commands?.takes(channel) === true)
        throw errorReply.unknownChannel(`MSG_CHANNEL_NOT_FOUND: ${channel} takes commands only`);
      const state = await this.#access.decideState(channel);
      if (state?.temporary === false) throw denialError(state);
      // Retries of a client that waits for its channel count as subscribes.
      await this.#limits.subscribe(client, token);
      if (state !== undefined) {
        if (!this.#opensOnUse(channel)) throw notOpenReply(state);
        await this.#openOnUse(client, channel);
      }
      const credential = credentialOf(event.token, token);
      const decision = await this.#decide(client, 'subscribe', channel, credential);
      if (decision.code === 'MSG_AUTH_EXPIRED' && credential.kind === 'verified')
        throw disconnect.connectionExpired();
      if (!decision.allowed) throw denialError(decision);
      const isOwn = credential.kind === 'text';
      return subscribeDecision(event, this.#options.of(channel), decision.token, isOwn);
    });
  }

  #decide(
    client: Client,
    verb: Verb,
    resource: string,
    credential: Credential,
  ): MaybePromise<AccessDecision> {
    const { user, id: clientId } = client;
    return this.#access.decide({ principal: { kind: 'client', user, clientId, credential }, verb, resource });
  }

  #opensOnUse(channel: string): boolean {
    return this.#channels.opensOnUse(channel, this.#channels.peekState(channel));
  }

  /** Opens a declared channel that a client uses. */
  async #openOnUse(client: Client, channel: string): Promise<void> {
    await this.#limits.open(client);
    await this.#channels.openForUse(channel);
  }

  subscribed(_client: Client, channel: string): Unsubscribed | undefined {
    const state = this.#channels.peekState(channel);
    return state === 'open' ? undefined : notOpenReply(denyState(channel, state));
  }

  publish(client: Client, event: PublishEvent, forward: ForwardPublish): MaybePromise<unknown> {
    const token = subscriptionToken(client, event.channel) ?? connectionToken(client);
    const commands = this.#commands;
    if (commands?.takes(event.channel) === true)
      return this.#answer(() => commands.run(client, token, event));
    try {
      const published = this.#publishing().publishForClient(client, token, event, forward);
      return isPromise(published) ? published.catch(error => this.#failed(error)) : published;
    } catch (error) {
      return this.#failed(error);
    }
  }

  refresh(client: Client, { token }: RefreshEvent): Promise<RefreshDecision> {
    return this.#answer(async () => {
      const verified = this.#verifyRefresh(token);
      if (verified.subject !== client.user) throw disconnect.invalidToken();
      const { code, reason } = unsubscribe.subscriptionExpired;
      for (const channel of client.channels()) {
        if (!isBoundToConnection(client, channel)) continue;
        const credential: Credential = { kind: 'verified', token: verified };
        const decision = await this.#decide(client, 'subscribe', channel, credential);
        if (!decision.allowed) client.unsubscribe(channel, code, reason);
      }
      return { expiry: expiryOf(verified), state: new ConnectionCredentials(verified) };
    });
  }

  #verifyRefresh(token: string): VerifiedToken {
    try {
      return this.#verifier.verify('access', token);
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      throw error.label === 'MSG_AUTH_EXPIRED' ? disconnect.connectionExpired() : disconnect.invalidToken();
    }
  }

  subRefresh(client: Client, { channel, token }: SubRefreshEvent): Promise<SubRefreshDecision> {
    return this.#answer(async () => {
      const decision = await this.#decide(client, 'subscribe', channel, { kind: 'text', text: token });
      if (decision.code === 'MSG_AUTH_EXPIRED')
        throw errorReply.expired(`${decision.code}: ${decision.detail}`);
      if (!decision.allowed) throw denialError(decision);
      if (decision.token === null) return {};
      return { expiry: expiryOf(decision.token), state: new SubscriptionCredentials(decision.token) };
    });
  }

  presence(client: Client, channel: string): void {
    if (!this.#offers(channel, 'presence')) throw errorReply.notAvailable();
    this.#requireSubscribed(client, channel);
  }

  presenceStats(client: Client, channel: string): void {
    this.presence(client, channel);
  }

  history(client: Client, channel: string): void {
    this.#requireSubscribed(client, channel);
    if (!this.#offers(channel, 'clientHistory')) throw errorReply.notAvailable();
  }

  #offers(channel: string, feature: 'presence' | 'clientHistory'): boolean {
    try {
      return this.#options.of(channel)[feature];
    } catch (error) {
      throw asReply(error);
    }
  }

  #requireSubscribed(client: Client, channel: string): void {
    if (!client.isSubscribed(channel)) {
      throw errorReply.permissionDenied(`MSG_AUTH_DENIED: not subscribed to ${channel}`);
    }
  }

  streamOptions(channel: string): StreamOptions {
    return this.#options.of(channel).stream;
  }
}
