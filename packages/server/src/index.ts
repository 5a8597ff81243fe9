export type { LifecycleEvent, LifecycleSubscription } from './channels/lifecycle-feed.ts';
export type { ChannelRecord, ChannelState } from './channels/record.ts';
export { Msg } from './msg.ts';
export type { LogFields, Logger } from './observability/logger.ts';
export type { MsgOptions } from './options.ts';
export type { ChannelOptions, ChannelRule } from './realtime/channel-options.ts';
export type { PublishAck, PublishExtras } from './realtime/publisher.ts';
export type { ManagementToken } from './tokens/management.ts';
export { VERSION } from './version.ts';
