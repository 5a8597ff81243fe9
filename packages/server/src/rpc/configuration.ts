import type { RpcResponse } from '@msg/core';
import type { RpcHandlers } from './call.ts';

/** What the service runs with. */
export interface ShownConfiguration {
  readonly settings: RpcResponse<'Config'>['settings'];
  /** Path of the configuration file; empty without one. */
  readonly source: string;
}

/** Handler of the running configuration. */
export function configurationHandlers({ settings, source }: ShownConfiguration): Pick<RpcHandlers, 'Config'> {
  return { Config: () => ({ settings, config_source: source }) };
}
