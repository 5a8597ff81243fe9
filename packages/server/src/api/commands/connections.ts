import {
  type ConnectionSelector,
  disconnect,
  type Expiry,
  type RealtimeNode,
  ReplyError,
  type StreamPosition,
  type SubscribeDecision,
  unsubscribe as unsubscribeCodes,
} from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ChannelOptionRules, ChannelOptions } from '../../channels/channel-options.ts';
import { serverGrant } from '../../realtime/credentials.ts';
import { type ApiCall, NOTHING } from '../command.ts';
import { badRequest } from '../errors.ts';
import { bytesOf, flagOf, integerOf, type Members, objectOf, textOf, textsOf } from '../members.ts';
import { fullName } from '../names.ts';
import type { ChannelOpener } from '../opening.ts';
import type { ApiCommands } from './rights.ts';

/** Codes that a command may disconnect with, and the longest reason in bytes that a close frame takes. */
const MIN_CODE = 3000;
const MAX_CODE = 4999;
const MAX_REASON_BYTES = 123;
const ALREADY_SUBSCRIBED = 105;

export interface ConnectionCommandParts {
  readonly node: () => Pick<RealtimeNode, 'subscribe' | 'unsubscribe' | 'disconnect' | 'refresh'>;
  readonly options: Pick<ChannelOptionRules, 'of'>;
  readonly opener: ChannelOpener;
  readonly clock: Pick<Clock, 'now'>;
  readonly bareNames: string;
}

/** The commands that concern live connections, on every node. A user who is not connected is not a failure. */
export function connectionCommands(
  parts: ConnectionCommandParts,
): Pick<ApiCommands, 'subscribe' | 'unsubscribe' | 'disconnect' | 'refresh'> {
  const { node, bareNames } = parts;
  return {
    subscribe: (members, call) => subscribe(parts, members, call),
    async unsubscribe(members, { rights }) {
      const target = targetOf(members);
      const name = textOf(members, 'channel');
      const channel = name === '' ? '' : fullName(name, bareNames);
      await (channel === '' ? rights.requireService() : rights.require('manage', channel));
      await node().unsubscribe(target, channel, unsubscribeCodes.serverUnsubscribe);
      return NOTHING;
    },
    async disconnect(members, { rights }) {
      const target = targetOf(members);
      const ending = endingOf(members);
      await rights.requireService();
      await node().disconnect(target, ending, textsOf(members, 'whitelist'));
      return NOTHING;
    },
    async refresh(members, { rights }) {
      const target = targetOf(members);
      const expiry = expiryOf(members);
      const info = bytesOf(members, 'info')?.bytes ?? null;
      await rights.requireService();
      if (flagOf(members, 'expired')) await node().disconnect(target, disconnect.connectionExpired());
      else await node().refresh(target, expiry ?? null, info);
      return NOTHING;
    },
  };
}

async function subscribe(parts: ConnectionCommandParts, members: Members, call: ApiCall): Promise<string> {
  const target = targetOf(members);
  const channel = fullName(textOf(members, 'channel'), parts.bareNames);
  const since = positionOf(members, 'recover_since');
  const decision = decisionOf(parts, members, channel);
  await call.rights.require('manage', channel);
  await parts.opener.open(channel, call.rights);
  try {
    await parts.node().subscribe(target, channel, decision, since);
  } catch (error) {
    // The connection is already subscribed, as requested.
    if (!(error instanceof ReplyError && error.code === ALREADY_SUBSCRIBED)) throw error;
  }
  return NOTHING;
}

/** @throws MsgError MSG_INVALID_ARGUMENT without a user: an empty id must not select every anonymous connection */
function targetOf(members: Members): ConnectionSelector {
  const user = textOf(members, 'user');
  const client = textOf(members, 'client');
  const session = textOf(members, 'session');
  if (user === '' && client === '' && session === '')
    badRequest('user is required; an anonymous connection is named by client or session');
  return { user, ...defined({ client: client || undefined, session: session || undefined }) };
}

function expiryOf(members: Members): Expiry | undefined {
  const seconds = integerOf(members, 'expire_at');
  return seconds === 0 ? undefined : { at: seconds * 1000, clientRefresh: true };
}

/** The position that a member holds. */
export function positionOf(members: Members, name: string): StreamPosition | null {
  const position = objectOf(members, name);
  if (position === undefined) return null;
  const offset = integerOf(position, 'offset');
  if (offset < 0) badRequest(`${name}.offset must be 0 or more; got ${offset}`);
  return { offset, epoch: textOf(position, 'epoch') };
}

function endingOf(members: Members): { readonly code: number; readonly reason: string } {
  const ending = objectOf(members, 'disconnect');
  if (ending === undefined) return disconnect.forceDisconnect();
  const code = integerOf(ending, 'code');
  const reason = textOf(ending, 'reason');
  if (code < MIN_CODE || code > MAX_CODE)
    badRequest(`disconnect.code must be from ${MIN_CODE} to ${MAX_CODE}; got ${code}`);
  const bytes = Buffer.byteLength(reason);
  if (bytes > MAX_REASON_BYTES)
    badRequest(`disconnect.reason must be at most ${MAX_REASON_BYTES} bytes; got ${bytes}`);
  return { code, reason };
}

/** Whether a feature stays on: `override` can switch a feature of the channel off, never on. */
function stays(override: Members, name: string): boolean {
  const choice = objectOf(override, name);
  return choice === undefined || flagOf(choice, 'value');
}

function decisionOf(
  { options, clock }: ConnectionCommandParts,
  members: Members,
  channel: string,
): SubscribeDecision {
  const offered = options.of(channel);
  const info = bytesOf(members, 'info')?.bytes;
  const data = bytesOf(members, 'data')?.bytes;
  return {
    ...featuresOf(offered, objectOf(members, 'override') ?? {}),
    state: serverGrant(clock.now()),
    ...defined({ info, data, expiry: expiryOf(members) }),
  };
}

function featuresOf(offered: ChannelOptions, override: Members): SubscribeDecision {
  const recovery = stays(override, 'force_recovery') ? offered.recovery : 'off';
  const announces = offered.joinLeave && stays(override, 'join_leave');
  return {
    recovery,
    positioned: recovery !== 'off' || (offered.recovery !== 'off' && stays(override, 'force_positioning')),
    emitPresence: offered.presence && stays(override, 'presence'),
    emitJoinLeave: announces,
    pushJoinLeave: announces && stays(override, 'force_push_join_leave'),
    compaction: offered.compaction,
  };
}
