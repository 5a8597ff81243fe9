import type { AccessControl } from '../auth/access/access-control.ts';
import type { TokenVerifier } from '../auth/tokens/verifier.ts';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { PublishPipeline } from '../publishing/pipeline.ts';
import type { ClientLimits } from '../rate-limits/client-limits.ts';
import type { ClientRpc } from './client-rpc.ts';
import type { ControlCommands } from './control-commands.ts';

/** What the policy of a service needs. */
export interface PolicyOptions {
  readonly channels: ChannelManager;
  readonly verifier: TokenVerifier;
  readonly access: AccessControl;
  readonly options: ChannelOptionRules;
  readonly limits: ClientLimits;
  /** Returns the pipeline, which exists only after the policy. */
  readonly publishing: () => Pick<PublishPipeline, 'publishForClient'>;
  /** Runs what clients publish to names that take commands; absent: there are no such names. */
  readonly commands?: Pick<ControlCommands, 'takes' | 'run'>;
  /** Answers `rpc` commands; absent: not available. */
  readonly clientRpc?: ClientRpc;
  /** Called for failures of which a client sees only error 100. */
  readonly onError: (error: unknown) => void;
}
