import { apiRunner } from '../../api/compose.ts';
import { type ApiSettings, apiSettings } from '../../api/options.ts';
import type { CommandRunner } from '../../api/runner.ts';
import type { Audited } from './audit.ts';
import type { Auth } from './auth.ts';
import type { Base } from './base.ts';
import type { Channels } from './channels.ts';
import type { Publishing } from './publishing.ts';
import type { Realtime } from './realtime.ts';

/** The HTTP API: its settings, and what runs its commands. */
export interface Api {
  readonly api: CommandRunner;
  readonly apiSettings: ApiSettings;
}

export function composeApi(
  { options, clock, onError }: Base,
  { revocations }: Auth,
  { channels }: Channels,
  { pipeline, rules }: Publishing,
  { node, view }: Realtime,
  { audit }: Audited,
): Api {
  const settings = apiSettings(options.api);
  const api = apiRunner({
    settings,
    channels,
    pipeline,
    node: () => node,
    options: rules,
    revocations,
    view,
    apiRpc: options.apiRpc,
    audit,
    clock,
    onError,
  });
  return { api, apiSettings: settings };
}
