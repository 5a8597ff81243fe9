import type { Argument } from '@msg/command-line';
import { type ChannelSummary, MsgError } from '@msg/core';
import { channelView } from '@msg/core/internal';
import { duration } from '../config/setting-types.ts';
import { createChannel } from './channels-create.ts';
import { channelHistory } from './channels-history.ts';
import { listChannels } from './channels-list.ts';
import { channelPresence } from './channels-presence.ts';
import { type MsgCommand, rpcCommand } from './command.ts';
import { ttlFlag, wholeSeconds } from './ttl-flag.ts';

function viewOf(channel: ChannelSummary | null): object {
  if (channel === null) throw new MsgError('MSG_INTERNAL', 'the answer holds no channel');
  return channelView(channel);
}

const NAME: Argument = {
  name: 'name',
  help: 'channel name: public:app.domain[.id][.topic] or private:app.domain.id',
};

const open = rpcCommand({
  name: 'channels open',
  args: [{ ...NAME, repeatable: true }],
  summary: 'open or reopen public channels; opening an open one renews it',
  detail: 'Prints one envelope per name, in their order. The first failure ends the command.',
  method: 'OpenPublic',
  settings: {
    ttl: {
      ...ttlFlag(
        0,
        'inactivity after which the channel closes; without it what is declared for the name, else 30m',
      ),
      // 0 asks for the service's own default.
      type: { ...duration, format: () => '' },
    },
  },
  examples: [
    { line: 'channels open public:shop.news', help: 'open for 30 minutes of inactivity' },
    { line: 'channels open public:shop.news --ttl 12h', help: 'keep it open longer' },
    { line: 'channels open public:shop.news public:shop.status', help: 'several at once' },
  ],
  async *action(call, { args, settings }) {
    for (const name of args) {
      const { channel } = await call({ name, ttl_seconds: wholeSeconds(settings.ttl) });
      yield { kind: 'msg.channel.open' as const, payload: viewOf(channel) };
    }
  },
});

const get = rpcCommand({
  name: 'channels get',
  args: [NAME],
  summary: 'one channel, and its options with the pattern that set each',
  method: 'GetChannel',
  examples: [{ line: 'channels get public:shop.news', help: 'its state, TTL, last activity and options' }],
  async action(call, { args: [name = ''] }) {
    const { channel, options } = await call({ name });
    return { kind: 'msg.channel.get', payload: { ...viewOf(channel), options } };
  },
});

const touch = rpcCommand({
  name: 'channels touch',
  args: [NAME],
  summary: 'count as activity of an open channel: its TTL begins anew',
  method: 'TouchChannel',
  examples: [{ line: 'channels touch public:shop.news', help: 'without a publication' }],
  async action(call, { args: [name = ''] }) {
    const { channel } = await call({ name });
    return { kind: 'msg.channel.touched', payload: viewOf(channel) };
  },
});

const close = rpcCommand({
  name: 'channels close',
  args: [NAME],
  summary: 'close a public channel before its time',
  detail:
    'Its subscribers stay, and publications are refused until it is opened again. A closed one stays closed.',
  method: 'CloseChannel',
  examples: [{ line: 'channels close public:shop.news', help: 'open it again: msg channels open' }],
  async action(call, { args: [name = ''] }) {
    const { channel } = await call({ name });
    return { kind: 'msg.channel.closed', payload: viewOf(channel) };
  },
});

const remove = rpcCommand({
  name: 'channels delete',
  args: [NAME],
  summary: 'delete a channel for good',
  detail: 'Every subscriber is unsubscribed. A deleted public name cannot be opened again.',
  method: 'DeleteChannel',
  examples: [{ line: 'channels delete public:shop.news', help: 'final' }],
  async action(call, { args: [name = ''] }) {
    await call({ name });
    return { kind: 'msg.channel.deleted', payload: { channel: name } };
  },
});

const position = rpcCommand({
  name: 'channels position',
  args: [NAME],
  summary: 'the position of the newest publication of a channel',
  detail: 'Offset 0 and an epoch before the first publication; no epoch where the channel keeps no history.',
  method: 'Position',
  examples: [
    { line: 'channels position public:shop.news', help: 'what a subscriber that is up to date has' },
  ],
  async action(call, { args: [name = ''] }) {
    const { offset, epoch } = await call({ name });
    return { kind: 'msg.channel.position', payload: { channel: name, offset, epoch } };
  },
});

const clearHistory = rpcCommand({
  name: 'channels clear-history',
  args: [NAME],
  summary: 'drop the publications that a channel keeps; offset and epoch go on',
  method: 'RemoveHistory',
  examples: [{ line: 'channels clear-history public:shop.news', help: 'subscribers notice nothing' }],
  async action(call, { args: [name = ''] }) {
    await call({ name });
    return { kind: 'msg.channel.history_cleared', payload: { channel: name } };
  },
});

/** `channels …`. */
export const channelCommands: readonly MsgCommand[] = [
  open,
  createChannel,
  listChannels,
  get,
  touch,
  close,
  remove,
  channelPresence,
  position,
  channelHistory,
  clearHistory,
];
