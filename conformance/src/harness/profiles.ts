import type { PublishOptions, StreamOptions, SubscribeDecision } from '@msg/engine';

/** Which suite is served; profiles differ in the rules of their channels only. */
export const PROFILES = ['js', 'go', 'python', 'java', 'swift', 'releases'] as const;
export type ProfileName = (typeof PROFILES)[number];

/** What the channels of one prefix do. */
export interface ChannelRules {
  readonly stream: StreamOptions;
  /** `asked`: positioned in any case, recovered when the client wants it. */
  readonly recovery: 'always' | 'asked';
  readonly presence: boolean;
  readonly joinLeave: boolean;
  /** Deltas may be negotiated, and every publish permits them. */
  readonly delta: boolean;
}

export interface Profile {
  /** Connections without a token are refused. */
  readonly tokensRequired: boolean;
  /** Subscriptions of clients without a token of their own are refused. */
  readonly subscriptionTokensRequired: boolean;
  /** Every user gets the server-side subscription `#<user>`. */
  readonly personalChannels: boolean;
  /** By the text before the first `:`; the empty prefix stands for names without one. */
  readonly channels: ReadonlyMap<string, ChannelRules>;
}

const TTL_MS = 300_000;

const FULL: ChannelRules = {
  stream: { size: 100, ttlMs: TTL_MS },
  recovery: 'always',
  presence: true,
  joinLeave: false,
  delta: true,
};
const SMALL: ChannelRules = { ...FULL, stream: { size: 2, ttlMs: TTL_MS } };

function profile(channels: Readonly<Record<string, ChannelRules>>, rest: Partial<Profile> = {}): Profile {
  return {
    tokensRequired: false,
    subscriptionTokensRequired: false,
    personalChannels: false,
    channels: new Map(Object.entries(channels)),
    ...rest,
  };
}

const NOBODY_LISTED = { presence: false };
const ANNOUNCED = { joinLeave: true };

/** What the suites expect of the server that they were written against. */
export const PROFILE: Readonly<Record<ProfileName, Profile>> = {
  js: profile({ '': FULL, delta: FULL, recovery: FULL, smallhistory: SMALL }),
  go: profile({ '': { ...FULL, ...NOBODY_LISTED }, smallhistory: { ...SMALL, ...NOBODY_LISTED } }),
  python: profile(
    { '': { ...FULL, ...ANNOUNCED }, smallhistory: { ...SMALL, ...ANNOUNCED } },
    { tokensRequired: true, personalChannels: true },
  ),
  java: profile({
    '': { ...FULL, ...ANNOUNCED, stream: { size: 10, ttlMs: 60_000 }, recovery: 'asked' },
    recovery: FULL,
    smallhistory: SMALL,
  }),
  swift: profile({ '': FULL, smallhistory: SMALL }),
  releases: profile({ '': FULL }, { tokensRequired: true, subscriptionTokensRequired: true }),
};

/** The rules of a channel, `undefined` for one of a prefix that the profile does not know. */
export function rulesOf(profile: Profile, channel: string): ChannelRules | undefined {
  const colon = channel.indexOf(':');
  return profile.channels.get(colon < 0 ? '' : channel.slice(0, colon));
}

/** What a subscription to such a channel may do. */
export function subscribeDecision(rules: ChannelRules, recoverable: boolean): SubscribeDecision {
  return {
    positioned: true,
    recovery: rules.recovery === 'always' || recoverable ? 'stream' : 'off',
    emitPresence: rules.presence,
    emitJoinLeave: rules.joinLeave,
    pushJoinLeave: rules.joinLeave,
    delta: rules.delta,
    compaction: true,
  };
}

/** How to publish into such a channel. */
export function publishOptions({ stream, delta }: ChannelRules): PublishOptions {
  return { stream, delta };
}
