import { readFile } from 'node:fs/promises';
import { UsageError } from '@msg/command-line';
import { resolveAll } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { runningSettings } from '../config/resolved-settings.ts';
import { SERVE_SETTINGS } from '../config/serve-settings.ts';
import { sinkEntries } from '../config/sink-settings.ts';
import { SINK_KINDS } from '../notify/sinks/kinds.ts';
import type { SinkKind } from '../notify/sinks/sink-kind.ts';
import { silentLogger } from '../observability/logger.ts';
import type { MsgOptions } from './options.ts';
import { embedderSettings } from './running-configuration.ts';

/**
 * The settings of a file, with further kinds of sinks. @throws MsgError MSG_INVALID_ARGUMENT for a kind that is used
 * twice
 */
function settingsWith(further: readonly SinkKind[]): typeof SERVE_SETTINGS {
  const kinds = [...SINK_KINDS, ...further];
  const twice = kinds.find(({ kind }, index) => kinds.findIndex(other => other.kind === kind) < index);
  if (twice !== undefined)
    throw new MsgError('MSG_INVALID_ARGUMENT', `sink kind "${twice.kind}" is already used`);
  return { ...SERVE_SETTINGS, sinks: { ...SERVE_SETTINGS.sinks, type: sinkEntries(kinds) } };
}

/**
 * The options, merged with those of their `configFile`, which is read as `msg serve` does.
 * @throws MsgError MSG_INVALID_ARGUMENT, MSG_SINK_CONFIG_INVALID naming key, file and line.
 */
export async function withConfigFile(options: MsgOptions): Promise<MsgOptions> {
  const { configFile: path, sinkKinds = [], logger = silentLogger, clock } = options;
  const group = settingsWith(sinkKinds);
  if (path === undefined) return options;
  const { loadConfigFile } = await import('../config/config-file.ts');
  const { msgOptions } = await import('./settings-options.ts');
  try {
    const file = await loadConfigFile(path, group, { env: process.env, readFile });
    const layers = { flag: () => undefined, env: {}, file };
    const ofFile = await msgOptions({ settings: resolveAll(group, layers), source: path }, { logger, clock });
    const settings = [...runningSettings(group, layers), ...embedderSettings(options)];
    return { settings, ...ofFile, ...options };
  } catch (error) {
    if (error instanceof UsageError)
      throw new MsgError('MSG_INVALID_ARGUMENT', error.message, { cause: error });
    throw error;
  }
}
