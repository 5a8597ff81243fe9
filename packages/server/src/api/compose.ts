import { MsgError } from '@msg/core';
import type { RequestBodies } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { Audit } from '../audit/audit.ts';
import type { AccessControl } from '../auth/access/access-control.ts';
import type { ApiKeys } from '../auth/api-keys/api-keys.ts';
import type { InvalidTokenReason } from '../auth/tokens/invalid-token.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { PublishPipeline } from '../publishing/pipeline.ts';
import { ApiAuthentication } from './authentication.ts';
import { Batch } from './batch.ts';
import { type CommandParts, commandTable } from './commands/table.ts';
import { ApiEndpoint } from './endpoint.ts';
import { ChannelOpener } from './opening.ts';
import type { ApiSettings } from './options.ts';
import { CommandRunner } from './runner.ts';

/** The parts of the API. */
export interface ApiParts
  extends Pick<CommandParts, 'pipeline' | 'node' | 'options' | 'revocations' | 'view' | 'apiRpc'> {
  readonly settings: ApiSettings;
  readonly channels: ChannelManager;
  readonly audit: Pick<Audit, 'run'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** The runner of the commands. It exists, and counts, without an endpoint too. */
export function apiRunner({ settings, channels, audit, clock, onError, ...parts }: ApiParts): CommandRunner {
  const { openChannels, bareNames, maxChannels } = settings;
  const opener = new ChannelOpener(channels, openChannels);
  const commands = commandTable({
    ...parts,
    channels,
    opener,
    clock,
    bareNames,
    maxChannels,
    nextTurn: () => new Promise(resolve => clock.afterTurn(resolve)),
  });
  const callerOfSeveral: PublishPipeline['callerOfSeveral'] = (caller, count) =>
    parts.pipeline.callerOfSeveral(caller, count);
  return new CommandRunner({ commands, callerOfSeveral, audit, clock, onError });
}

export interface ApiEndpointParts {
  readonly settings: ApiSettings;
  readonly runner: CommandRunner;
  readonly apiKeys: ApiKeys;
  readonly access: AccessControl;
  readonly bodies: RequestBodies;
  readonly clock: Clock;
  readonly noAuth: boolean;
  readonly onAuthFailure: (label: InvalidTokenReason, requestId: string) => void;
  readonly onError: (error: unknown) => void;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for an API that no key can open */
export function apiEndpoint(parts: ApiEndpointParts): ApiEndpoint {
  const { settings, apiKeys, runner, noAuth, clock } = parts;
  if (apiKeys.size === 0 && !noAuth)
    throw new MsgError('MSG_INVALID_ARGUMENT', 'api.enabled needs a key: declare one in auth.api_keys');
  const { maxBatch, allowQueryKey } = settings;
  const nextTurn = () => new Promise<void>(resolve => clock.afterTurn(resolve));
  return new ApiEndpoint({
    ...parts,
    authentication: new ApiAuthentication({ apiKeys, off: noAuth, allowQueryKey }),
    batch: new Batch({ runner, maxBatch, nextTurn }),
  });
}
