import { requireCoveredScopes } from '../auth/access/covered-scopes.ts';
import type { PrivateChannels } from '../auth/tokens/private-channels.ts';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import { explainOptions } from '../channels/explained-options.ts';
import { channelSummary } from '../channels/record.ts';
import { refuseReserved } from '../channels/reserved.ts';
import type { RpcHandlers } from './call.ts';
import { type ChannelListingParts, listChannels } from './channel-listing.ts';

type ChannelMethods =
  | 'OpenPublic'
  | 'CreatePrivate'
  | 'ListChannels'
  | 'GetChannel'
  | 'TouchChannel'
  | 'CloseChannel'
  | 'DeleteChannel';

export interface ChannelHandlerParts extends ChannelListingParts {
  readonly privateChannels: PrivateChannels;
  readonly rules: Pick<ChannelOptionRules, 'of' | 'matching'>;
}

/** Handlers of the channel group. */
export function channelHandlers({
  channels,
  privateChannels,
  rules,
  directory,
  channelCounts,
}: ChannelHandlerParts): Pick<RpcHandlers, ChannelMethods> {
  return {
    async OpenPublic({ name, ttl_seconds }) {
      refuseReserved(name);
      return { channel: channelSummary(await channels.openPublic(name, ttl_seconds * 1000)) };
    },
    async CreatePrivate({ name, ttl_seconds, subject, scopes, if_exists }, { principal }) {
      refuseReserved(name);
      // Scopes may cover more than the channel: a bearer must not issue a token with wider rights.
      requireCoveredScopes(principal, scopes);
      const ifExists = (if_exists || 'error') as 'error' | 'reuse'; // checked there
      return privateChannels.create({ name, ttlMs: ttl_seconds * 1000, subject, scopes, ifExists });
    },
    ListChannels: (request, { principal }) =>
      listChannels({ channels, directory, channelCounts }, request, principal),
    async GetChannel({ name }) {
      return { channel: channelSummary(await channels.get(name)), options: [...explainOptions(rules, name)] };
    },
    async TouchChannel({ name }) {
      return { channel: channelSummary(await channels.touch(name)) };
    },
    async CloseChannel({ name }) {
      return { channel: channelSummary(await channels.closePublic(name)) };
    },
    async DeleteChannel({ name }) {
      await channels.delete(name);
      return {};
    },
  };
}
