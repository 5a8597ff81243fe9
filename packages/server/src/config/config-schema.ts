import { settingsSchema, settingsTemplate } from '@msg/command-line/internal';
import type { JsonSchema } from '@msg/foundation/shape';
import { SERVE_SETTINGS } from './serve-settings.ts';

/** The JSON Schema of the configuration file of `msg serve`, for editors and checks before a start. */
export function configurationSchema(): JsonSchema {
  return settingsSchema(SERVE_SETTINGS, 'Configuration of msg serve');
}

/** Path of the schema in a project with the package. */
const SCHEMA_PATH = 'node_modules/@msg/server/config.schema.json';

/** The keys of a first configuration. */
const STARTER = [
  SERVE_SETTINGS.addr,
  SERVE_SETTINGS.allowedOrigins,
  SERVE_SETTINGS.allowedHosts,
  SERVE_SETTINGS.stateDir,
  SERVE_SETTINGS.redisAddr,
  SERVE_SETTINGS.accessLog,
  SERVE_SETTINGS.metricsToken,
  SERVE_SETTINGS.openChannels,
  SERVE_SETTINGS.channelRules,
];

/** A commented configuration file for a start; `full`: with every key. */
export function configurationTemplate(full: boolean): string {
  const settings = full ? SERVE_SETTINGS : Object.fromEntries(STARTER.map(setting => [setting.key, setting]));
  return `# yaml-language-server: $schema=${SCHEMA_PATH}
# Configuration of msg serve, with the defaults. msg config check <file> tells whether it would boot.
${settingsTemplate(settings)}`;
}
