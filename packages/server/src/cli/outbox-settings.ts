import { type SettingSources, textFlag } from '@msg/command-line';
import { resolve, resolveAll } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { OUTBOX_SETTINGS, type OutboxSettings } from '../config/outbox-settings.ts';
import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../config/serve-settings.ts';
import type { CliEnvironment } from './io.ts';

const { outboxUrl, outboxSchema, outboxTls, outboxCaFile } = OUTBOX_SETTINGS;

/** What leads to the database, for commands that work on it. The address is a secret and has no flag. */
export const OUTBOX_ADDRESS = {
  ...CONFIG_SETTINGS,
  outboxUrl,
  outboxSchema,
  outboxTls,
  outboxCaFile,
} as const;

/** Names the schema of one call. */
export const SCHEMA_FLAG = {
  schema: textFlag('--schema', 'name', 'schema of the outbox, instead of the one of the configuration'),
} as const;

/** The settings of the environment and of the file in `--config`, as `msg serve` reads them. @throws UsageError */
export async function outboxSettings(sources: SettingSources, io: CliEnvironment): Promise<OutboxSettings> {
  const path = resolve(CONFIG_SETTINGS.config, sources);
  const { loadConfigFile } = await import('../config/config-file.ts');
  const file = path === '' ? undefined : await loadConfigFile(path, SERVE_SETTINGS, io);
  const settings = resolveAll(OUTBOX_SETTINGS, { ...sources, file });
  return { ...settings, outboxSchema: resolve(SCHEMA_FLAG.schema, sources) ?? settings.outboxSchema };
}

/** The settings with an address. @throws UsageError; MsgError MSG_INVALID_ARGUMENT without an address */
export async function addressedOutbox(sources: SettingSources, io: CliEnvironment): Promise<OutboxSettings> {
  const settings = await outboxSettings(sources, io);
  if (settings.outboxUrl !== '') return settings;
  throw new MsgError('MSG_INVALID_ARGUMENT', 'the address of the outbox is required', {
    situation: { name: 'outboxAddressMissing' },
  });
}
