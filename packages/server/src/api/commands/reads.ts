import type { HistoryFilter, Publication, RealtimeNode } from '@msg/engine';
import { PAYLOAD_ENCODING_TAG } from '@msg/engine/internal';
import type { ChannelOptionRules } from '../../channels/channel-options.ts';
import { type ApiCall, NOTHING, textMember } from '../command.ts';
import { ApiError, badRequest } from '../errors.ts';
import { flagOf, integerOf, type Members, textOf } from '../members.ts';
import { fullName } from '../names.ts';
import type { ChannelOpener } from '../opening.ts';
import { positionOf } from './connections.ts';
import type { ApiCommands } from './rights.ts';

export interface ReadCommandParts {
  readonly node: () => Pick<RealtimeNode, 'history' | 'removeHistory' | 'presence' | 'limits'>;
  readonly options: Pick<ChannelOptionRules, 'of'>;
  readonly opener: ChannelOpener;
  readonly bareNames: string;
}

type ClientInfo = NonNullable<Publication['info']>;

/** The commands that read a channel, and the one that empties its history. */
export function readCommands(
  parts: ReadCommandParts,
): Pick<ApiCommands, 'presence' | 'presence_stats' | 'history' | 'history_remove'> {
  const { node } = parts;
  return {
    async presence(members, call) {
      const channel = await readable(parts, members, call, 'presence');
      const entries = [...(await node().presence.get(channel))].map(
        ([client, info]) => `${JSON.stringify(client)}:${infoText(info, call.rights.showsPayloads)}`,
      );
      return `{"presence":{${entries.join(',')}}}`;
    },
    async presence_stats(members, call) {
      const channel = await readable(parts, members, call, 'presence');
      const { clients, users } = await node().presence.counts(channel);
      return `{"num_clients":${clients},"num_users":${users}}`;
    },
    async history(members, call) {
      const filter = filterOf(members, node().limits.historyItems);
      const channel = await readable(parts, members, call, 'history');
      return historyText(parts, channel, filter, call.rights.showsPayloads);
    },
    async history_remove(members, { rights }) {
      const channel = fullName(textOf(members, 'channel'), parts.bareNames);
      await rights.require('manage', channel);
      requireOffered(parts, channel, 'history');
      await parts.opener.requireReadable(channel);
      await node().removeHistory(channel);
      return NOTHING;
    },
  };
}

type Feature = 'presence' | 'history';

/** The channel of a reading command, after the check that the caller may read it. */
async function readable(
  parts: ReadCommandParts,
  members: Members,
  { rights }: ApiCall,
  feature: Feature,
): Promise<string> {
  const channel = fullName(textOf(members, 'channel'), parts.bareNames);
  await rights.require('subscribe', channel);
  requireOffered(parts, channel, feature);
  await parts.opener.requireReadable(channel);
  return channel;
}

/** @throws ApiError 108 */
function requireOffered({ options }: ReadCommandParts, channel: string, feature: Feature): void {
  const { presence, stream } = options.of(channel);
  if (!(feature === 'presence' ? presence : stream.size > 0))
    throw new ApiError(108, `${feature} is off for ${channel} (channel options)`);
}

/** `limit` 0: the position alone; below 0: as many as one answer may hold. */
function filterOf(members: Members, most: number): HistoryFilter {
  const asked = integerOf(members, 'limit');
  const limit = most > 0 && (asked < 0 || asked > most) ? most : asked;
  const since = positionOf(members, 'since');
  const reverse = flagOf(members, 'reverse');
  if (since === null) return { limit, reverse };
  if (reverse && since.offset === 0) badRequest('nothing lies before offset 0');
  return { limit, reverse, since };
}

async function historyText(
  { node }: ReadCommandParts,
  channel: string,
  filter: HistoryFilter,
  shows: boolean,
): Promise<string> {
  const { publications, offset, epoch } = await node().history(channel, filter);
  const { since, limit, reverse = false } = filter;
  if (since !== undefined) {
    const [first] = publications;
    const isOther = since.epoch !== '' && since.epoch !== epoch;
    // The publication after the position has been trimmed.
    const isGone = !reverse && limit !== 0 && since.offset < offset && first?.offset !== since.offset + 1;
    if (isOther || isGone) throw new ApiError(112, `the position is not in the history of ${channel}`);
  }
  const items = publications.map(publication => publicationText(publication, shows)).join(',');
  return `{"publications":[${items}],"offset":${offset},"epoch":${JSON.stringify(epoch)}}`;
}

/** A value that the channel holds as JSON text. */
function valueText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** `shows` false: the payload is left out, and its size is there. */
function publicationText({ data, offset, info, tags }: Publication, shows: boolean): string {
  const shownTags = data.kind === 'binary' ? new Map(tags).set(PAYLOAD_ENCODING_TAG, 'base64') : tags;
  const parts = shows ? [`"data":${valueText(data.json)}`] : [`"hidden":true,"size":${data.bytes.length}`];
  if (offset !== 0) parts.push(`"offset":${offset}`);
  if (info !== null) parts.push(`"info":${infoText(info, shows)}`);
  if (shownTags.size > 0) parts.push(`"tags":${JSON.stringify(Object.fromEntries(shownTags))}`);
  return `{${parts.join(',')}}`;
}

function infoText({ user, client, connInfo, chanInfo }: ClientInfo, shows: boolean): string {
  const conn = connInfo === null || !shows ? '' : `,"conn_info":${valueText(connInfo)}`;
  const chan = chanInfo === null || !shows ? '' : `,"chan_info":${valueText(chanInfo)}`;
  return `{"user":${JSON.stringify(user)}${textMember('client', client) || ',"client":""'}${conn}${chan}}`;
}
