import { visibleChannels } from '../auth/access/bearer-rights.ts';
import { requireCoveredScopes } from '../auth/access/covered-scopes.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { PrivateChannels } from '../channels/private-channels.ts';
import { channelSummary } from '../channels/record.ts';
import type { RpcHandlers } from './call.ts';

type ChannelMethods = 'OpenPublic' | 'CreatePrivate' | 'ListChannels' | 'GetChannel' | 'DeleteChannel';

/** Handlers of the channel group. */
export function channelHandlers(
  channels: ChannelManager,
  privateChannels: PrivateChannels,
): Pick<RpcHandlers, ChannelMethods> {
  return {
    async OpenPublic({ name, ttl_seconds }) {
      return { channel: channelSummary(await channels.openPublic(name, ttl_seconds * 1000)) };
    },
    CreatePrivate({ name, ttl_seconds, subject, scopes, if_exists }, { principal }) {
      // Scopes may cover more than the channel: a bearer must not issue a token with wider rights.
      requireCoveredScopes(principal, scopes);
      const ifExists = (if_exists || 'error') as 'error' | 'reuse'; // checked there
      return privateChannels.create({ name, ttlMs: ttl_seconds * 1000, subject, scopes, ifExists });
    },
    async ListChannels(_request, { principal }) {
      return { channels: visibleChannels(principal, await channels.list()).map(channelSummary) };
    },
    async GetChannel({ name }) {
      return { channel: channelSummary(await channels.get(name)) };
    },
    async DeleteChannel({ name }) {
      await channels.delete(name);
      return {};
    },
  };
}
