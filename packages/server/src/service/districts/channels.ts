import { defined } from '@msg/foundation/json';
import { AccessControl } from '../../auth/access/access-control.ts';
import { AuthorizerGuard } from '../../auth/access/custom-authorizer.ts';
import { RefreshRotation } from '../../auth/tokens/refresh/rotation.ts';
import { DeclaredChannels } from '../../channels/declared.ts';
import { ChannelManager } from '../../channels/manager.ts';
import { PrivateChannels } from '../../channels/private-channels.ts';
import { closeChannel } from '../../realtime/channel-closer.ts';
import type { Auth } from './auth.ts';
import type { Base, LateParts } from './base.ts';

/** Channels, and the access to them. */
export interface Channels {
  readonly channels: ChannelManager;
  readonly privateChannels: PrivateChannels;
  readonly access: AccessControl;
  readonly rotation: RefreshRotation;
}

export function composeChannels(base: Base, late: LateParts, auth: Auth): Channels {
  const { options, clock, stores, onError } = base;
  const { verifier, issuer, isRevoked, redemptions } = auth;
  const keepsOpen = options.channels?.keepOpenWhileSubscribed === true;
  const channels = new ChannelManager({
    registry: stores.registry,
    clock,
    declared: new DeclaredChannels(options.channels?.open),
    ...defined({ subscribedChannels: keepsOpen ? () => late.node.channels() : undefined }),
    onDeleted: name => closeChannel(late.node, name),
    onError,
  });
  const { authorizer: authorize } = options;
  const onAnswer = (outcome: Parameters<LateParts['metrics']['authorized']>[0]) =>
    late.metrics.authorized(outcome);
  const custom =
    authorize === undefined ? undefined : new AuthorizerGuard({ authorize, clock, onAnswer, onError });
  return {
    channels,
    privateChannels: new PrivateChannels(channels, issuer),
    access: new AccessControl({
      channels,
      verifier,
      isRevoked,
      tokens: options.tokens ?? true,
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
