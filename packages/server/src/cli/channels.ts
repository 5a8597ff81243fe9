import { type ChannelSummary, channelView, MsgError } from '@msg/core';
import type { Command } from 'commander';
import { type Setting, settle } from '../config/setting.ts';
import { duration } from '../config/setting-types.ts';
import { clientCommand } from './client.ts';
import { addSettings, sourcesOf } from './flags.ts';
import type { CliIo } from './io.ts';

const OPEN_SETTINGS = {
  ttl: {
    key: 'ttl',
    flag: '--ttl',
    type: duration,
    fallback: 30 * 60_000,
    help: 'inactivity after which the channel closes',
  } satisfies Setting<number>,
} as const;

function viewOf(channel: ChannelSummary | null): object {
  if (channel === null) throw new MsgError('MSG_INTERNAL', 'the answer holds no channel');
  return channelView(channel);
}

/** `channels open|list|get|delete`. */
export function addChannelCommands(program: Command, io: CliIo): void {
  const channels = program.command('channels').description('open, list, inspect and delete channels');

  const open = channels
    .command('open <name>')
    .description('open or reopen a public channel; opening an open one renews it');
  addSettings(open, OPEN_SETTINGS);
  clientCommand(open, io, async (client, [name = '']) => {
    // Whole seconds, rounded up: a channel never closes earlier than asked for.
    const ttl_seconds = Math.ceil(settle(OPEN_SETTINGS.ttl, sourcesOf(open, io.env)) / 1000);
    const { channel } = await client.call('OpenPublic', { name, ttl_seconds });
    return { kind: 'msg.channel.open', payload: viewOf(channel) };
  });

  const list = channels.command('list').description('all channels, closed ones included');
  clientCommand(list, io, async client => {
    const answer = await client.call('ListChannels', {});
    return { kind: 'msg.channels.list', payload: { channels: answer.channels.map(channelView) } };
  });

  const get = channels.command('get <name>').description('one channel');
  clientCommand(get, io, async (client, [name = '']) => {
    const { channel } = await client.call('GetChannel', { name });
    return { kind: 'msg.channel.get', payload: viewOf(channel) };
  });

  const remove = channels.command('delete <name>').description('delete a channel for good');
  clientCommand(remove, io, async (client, [name = '']) => {
    await client.call('DeleteChannel', { name });
    return { kind: 'msg.channel.deleted', payload: { channel: name } };
  });
}
