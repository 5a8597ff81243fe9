import { defined } from '@msg/foundation/json';
import { AccessControl } from '../../auth/access/access-control.ts';
import { AuthorizerGuard } from '../../auth/access/custom-authorizer.ts';
import { PrivateChannels } from '../../auth/tokens/private-channels.ts';
import { RefreshRotation } from '../../auth/tokens/refresh/rotation.ts';
import { ChannelOptionRules } from '../../channels/channel-options.ts';
import { ControlNames } from '../../channels/control-names.ts';
import { DeclaredChannels } from '../../channels/declared.ts';
import { ChannelDirectory } from '../../channels/directory.ts';
import { ChannelManager } from '../../channels/manager.ts';
import { closeChannel } from '../../realtime/channel-closer.ts';
import { channelRules } from '../channel-rules.ts';
import type { Auth } from './auth.ts';
import type { Base, LateParts } from './base.ts';

/** Channels, and the access to them. */
export interface Channels {
  readonly channels: ChannelManager;
  /** For listings. */
  readonly directory: ChannelDirectory;
  readonly privateChannels: PrivateChannels;
  readonly access: AccessControl;
  readonly rotation: RefreshRotation;
  /** Options of channels by their patterns. */
  readonly rules: ChannelOptionRules;
  readonly controls: ControlNames;
}

export function composeChannels(base: Base, late: LateParts, auth: Auth): Channels {
  const { options, clock, stores, onError } = base;
  const { verifier, issuer, isRevoked, redemptions } = auth;
  const rules = new ChannelOptionRules(channelRules(options), options.limits?.queueBytes);
  const controls = new ControlNames(rules);
  const keepsOpen = options.channels?.keepOpenWhileSubscribed === true;
  const channels = new ChannelManager({
    registry: stores.registry,
    clock,
    declared: new DeclaredChannels(options.channels?.open, name => controls.has(name)),
    ...defined({ subscribedChannels: keepsOpen ? () => late.node.channels() : undefined }),
    onDeleted: name => closeChannel(late.node, name),
    onError,
  });
  const directory = new ChannelDirectory({ registry: stores.registry, clock });
  channels.follow(({ name }) => directory.changed(name));
  const { authorizer: authorize } = options;
  const onAnswer = (outcome: Parameters<LateParts['metrics']['authorized']>[0]) =>
    late.metrics.authorized(outcome);
  const custom =
    authorize === undefined ? undefined : new AuthorizerGuard({ authorize, clock, onAnswer, onError });
  return {
    channels,
    rules,
    controls,
    directory,
    privateChannels: new PrivateChannels(channels, issuer),
    access: new AccessControl({
      channels,
      verifier,
      isRevoked,
      tokens: options.tokens ?? true,
      viewerPayloads: options.viewerPayloads ?? false,
      ...defined({ custom }),
    }),
    rotation: new RefreshRotation({
      channels,
      verifier,
      issuer,
      store: redemptions,
      isRevoked,
      clock,
      onOutcome: outcome => late.metrics.refreshed(outcome),
    }),
  };
}
