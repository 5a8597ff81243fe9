import { MsgError } from '@msg/core';
import { coversRole } from '@msg/core/internal';
import type { AccessControl } from '../auth/access/access-control.ts';
import { coversEverything } from '../auth/access/bearer-rights.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { ClusterFeeds } from '../live/cluster-feeds.ts';
import { TOPICS, type Topic } from '../live/feed.ts';
import type { RpcHandlers } from './call.ts';

type FeedMethods = 'OpenFeed' | 'RenewFeed' | 'CloseFeed' | 'StartTail' | 'StopTail';

const DEFAULT_PER_SECOND = 20;
const MAX_PER_SECOND = 100;
const DEFAULT_PAYLOAD_BYTES = 2048;
const MAX_PAYLOAD_BYTES = 16 * 1024;
/** Topics that tell what only operators may read. */
const OF_OPERATORS: ReadonlySet<Topic> = new Set(['audit', 'recording']);
/** Topics that tell of the whole service: a bearer with scopes does not see them. */
const OF_SERVICE: ReadonlySet<Topic> = new Set(['dlq', 'jobs', 'audit', 'recording']);

export interface FeedHandlerParts {
  readonly feeds: ClusterFeeds;
  readonly channels: Pick<ChannelManager, 'requireOpen'>;
  readonly access: Pick<AccessControl, 'showsPayloads'>;
}

/** Handlers of live feeds, and of tails in them. */
export function feedHandlers({ feeds, channels, access }: FeedHandlerParts): Pick<RpcHandlers, FeedMethods> {
  return {
    async OpenFeed({ topics }, { principal }) {
      return feeds.open(principal, new Set(topics.map(topic => checkedTopic(topic, principal))));
    },
    async RenewFeed({ feed }, { principal }) {
      return feeds.renew(principal, required('feed', feed));
    },
    async CloseFeed({ feed }, { principal }) {
      await feeds.close(principal, required('feed', feed));
      return {};
    },
    async StartTail(request, { principal }) {
      const { feed, name, tags } = request;
      required('feed', feed);
      const perSecond = within('max_per_second', request.max_per_second, DEFAULT_PER_SECOND, MAX_PER_SECOND);
      const maxPayloadBytes = within(
        'max_payload_bytes',
        request.max_payload_bytes,
        DEFAULT_PAYLOAD_BYTES,
        MAX_PAYLOAD_BYTES,
      );
      await channels.requireOpen(name);
      const isShown = access.showsPayloads(principal);
      return feeds.startTail(principal, feed, { name, perSecond, maxPayloadBytes, tags, isShown });
    },
    async StopTail({ feed, tail }, { principal }) {
      await feeds.stopTail(principal, required('feed', feed), required('tail', tail));
      return {};
    },
  };
}

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

function required(member: string, value: string): string {
  if (value === '') throw invalid(`${member} is required`);
  return value;
}

/** A number of a request: 0 is the default. */
function within(member: string, value: number, fallback: number, most: number): number {
  if (value < 0 || value > most) throw invalid(`${member} must be from 1 to ${most}; got ${value}`);
  return value || fallback;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for an unknown topic, MSG_AUTH_DENIED for one that the caller may not read */
function checkedTopic(text: string, principal: Principal): Topic {
  const topic = TOPICS.find(name => name === text);
  if (topic === undefined)
    throw invalid(`topics must be of ${TOPICS.join(', ')}; got ${JSON.stringify(text.slice(0, 64))}`);
  if (principal.kind === 'anonymous') return topic;
  const { token } = principal;
  if (OF_OPERATORS.has(topic) && !coversRole(token.role, 'operator'))
    throw new MsgError('MSG_AUTH_DENIED', `the topic ${topic} needs the role operator`);
  if (OF_SERVICE.has(topic) && !coversEverything(token))
    throw new MsgError('MSG_AUTH_DENIED', `the topic ${topic} needs a bearer without scopes`);
  return topic;
}
