import { formatTimestamp, targets, writes } from '@msg/core/internal';
import { ChannelCounts } from '../../connections/channel-counts.ts';
import { ClusterFeeds } from '../../live/cluster-feeds.ts';
import { ClusterRecordings } from '../../live/cluster-recordings.ts';
import type { TopicSources } from '../../live/feed.ts';
import { Feeds } from '../../live/feeds.ts';
import { HolderCheck } from '../../live/holder.ts';
import { type EndedRecording, Recordings } from '../../live/recordings.ts';
import { SessionEnds } from '../../live/session-ends.ts';
import type { ClusterReport } from '../../nodes/cluster.ts';
import type { Notify } from '../../notify/compose.ts';
import { serviceTotals } from '../../stores/totals.ts';
import type { Audited } from './audit.ts';
import type { Auth } from './auth.ts';
import type { Base, LateParts } from './base.ts';
import type { Channels } from './channels.ts';
import type { Nodes } from './nodes.ts';
import type { Publishing } from './publishing.ts';
import type { Realtime } from './realtime.ts';

/** What operators look at while it happens. */
export interface Live {
  readonly ownRecordings: Recordings;
  readonly recordings: ClusterRecordings;
  readonly ownFeeds: Feeds;
  readonly feeds: ClusterFeeds;
  readonly channelCounts: ChannelCounts;
  readonly holders: HolderCheck;
  readonly sessionEnds: SessionEnds;
}

/** The parts that are looked at. */
export interface LiveParts extends Auth, Channels, Realtime, Audited, Nodes, Notify {
  readonly rules: Publishing['rules'];
}

/** The record of the end of a recording, for whatever reason it ends. */
const END_OF_RECORDING = writes('operator', targets('client', 'client'), ['user', 'state', 'frames']);
/** Feeds of one tick share a report about the nodes. */
const SHARED_MS = 1000;
/** Records of the audit that a feed tells. */
const NEWEST_RECORDS = 20;

export function composeLive(base: Base, late: LateParts, parts: LiveParts): Live {
  const { clock, random, onError } = base;
  const holders = new HolderCheck(parts.verifier, parts.isRevoked, onError);
  const node = () => late.node;
  const totals = serviceTotals(base.stores.engine?.bounds);
  const ownRecordings = new Recordings({
    node,
    clock,
    random,
    holders,
    total: totals.recordings,
    onEnded: ended => noteEnd(parts, ended).catch(onError),
  });
  const recordings = new ClusterRecordings(ownRecordings, parts.surveys);
  const channelCounts = new ChannelCounts(node, parts.surveys, clock);
  const ownFeeds = new Feeds({
    node,
    clock,
    random,
    holders,
    channels: parts.channels,
    counts: channelCounts,
    keepsHistory: channel => parts.rules.of(channel).stream.size > 0,
    sources: topicSources(base, parts, recordings),
    total: totals.feeds,
    tails: totals.tails,
    onError,
  });
  return {
    ownRecordings,
    recordings,
    ownFeeds,
    channelCounts,
    holders,
    sessionEnds: new SessionEnds({
      feeds: ownFeeds,
      recordings: ownRecordings,
      surveys: parts.surveys,
      onError,
    }),
    feeds: new ClusterFeeds(ownFeeds, parts.surveys, parts.issuer),
  };
}

async function noteEnd({ audit }: LiveParts, { actor, ...request }: EndedRecording): Promise<void> {
  const call = {
    actor,
    role: '',
    via: 'system',
    method: 'StopRecording',
    requestId: '',
    clientAddress: '',
  } as const;
  await audit.run({ ...call, rights: END_OF_RECORDING, request }, () => {});
}

/** What each topic tells. */
function topicSources({ clock }: Base, parts: LiveParts, recordings: ClusterRecordings): TopicSources {
  let asked: { readonly at: number; readonly report: Promise<ClusterReport> } | undefined;
  const report = (): Promise<ClusterReport> => {
    const at = clock.monotonic();
    if (asked === undefined || at - asked.at > SHARED_MS) asked = { at, report: parts.nodes.report() };
    return asked.report;
  };
  return {
    async stats() {
      const { nodes, missing } = await report();
      return { nodes, missing_nodes: missing };
    },
    async hints() {
      const { hints } = await report();
      return { hints: hints.map(hint => ({ ...hint, since: formatTimestamp(hint.since) })) };
    },
    async dlq() {
      const sizes = await parts.deadLetters.sizes();
      return { sinks: Array.from(sizes, ([sink, count]) => ({ sink, count })) };
    },
    async jobs() {
      const jobs = await parts.redriveJobs.list();
      return {
        jobs: jobs.map(({ id, sink, state, sent, parked, skipped, remaining }) => ({
          id,
          sink,
          state,
          sent,
          parked,
          skipped,
          remaining,
        })),
      };
    },
    async audit() {
      const page = await parts.auditReader.list({ filter: {}, limit: NEWEST_RECORDS });
      return { records: page?.records ?? [] };
    },
    async recording() {
      return { recordings: await recordings.states() };
    },
  };
}
