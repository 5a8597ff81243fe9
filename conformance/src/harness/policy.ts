import {
  type Client,
  type ConnectDecision,
  type ConnectEvent,
  disconnect,
  errorReply,
  type Policy,
  type SubscribeDecision,
  type SubscribeEvent,
} from '@msg/engine';
import { type ChannelRules, type Profile, publishOptions, rulesOf, subscribeDecision } from './profiles.ts';
import { verify } from './tokens.ts';

/** Channels anybody may use as the profile says; tokens are those of the suites. */
export function permissivePolicy(profile: Profile): Policy {
  const rules = (channel: string): ChannelRules => {
    if (channel.startsWith('$forbidden')) throw errorReply.permissionDenied();
    const rules = rulesOf(profile, channel);
    if (rules === undefined) throw errorReply.unknownChannel();
    return rules;
  };
  const presence = (_client: Client, channel: string): void => {
    if (!rules(channel).presence) throw errorReply.notAvailable();
  };
  return {
    connect: event => connect(profile, event),
    subscribe: async (client, event) => {
      const decision = subscribeDecision(rules(event.channel), event.recoverable);
      if (event.token !== '' || profile.subscriptionTokensRequired) {
        await checkSubscriptionToken(client, event);
      }
      return decision;
    },
    publish: (_client, event, forward) => forward(event, publishOptions(rules(event.channel))),
    refresh: async (_client, { token }) => {
      await userOf(token);
      return {};
    },
    subRefresh: async (client, event) => {
      await checkSubscriptionToken(client, event);
      return {};
    },
    presence,
    presenceStats: presence,
    history: (_client, channel) => {
      rules(channel);
    },
    message: () => {},
    streamOptions: channel => rulesOf(profile, channel)?.stream ?? { size: 0, ttlMs: 0 },
  };
}

async function userOf(token: string): Promise<string> {
  const claims = await verify(token);
  if (claims === 'expired') throw errorReply.tokenExpired();
  if (claims === 'invalid') throw disconnect.invalidToken();
  return claims.sub;
}

async function connect(profile: Profile, { token }: ConnectEvent): Promise<ConnectDecision> {
  if (token === '') {
    if (profile.tokensRequired) throw disconnect.invalidToken();
    return { user: '' };
  }
  const user = await userOf(token);
  const rules = profile.channels.get('');
  if (!profile.personalChannels || user === '' || rules === undefined) return { user };
  const personal: SubscribeDecision = subscribeDecision(rules, true);
  return { user, subscriptions: new Map([[`#${user}`, personal]]) };
}

async function checkSubscriptionToken(
  client: Client,
  { channel, token }: Pick<SubscribeEvent, 'channel' | 'token'>,
): Promise<void> {
  const claims = await verify(token);
  if (claims === 'expired') throw errorReply.tokenExpired();
  if (claims === 'invalid') throw errorReply.permissionDenied();
  if (claims.channel !== channel || claims.sub !== client.user) throw disconnect.invalidToken();
}
