import { settingsSchema } from '@msg/command-line';
import type { JsonSchema } from '@msg/foundation/shape';
import { SERVE_SETTINGS } from './serve-settings.ts';

/** The JSON Schema of the configuration file of `msg serve`, for editors and checks before a start. */
export function configurationSchema(): JsonSchema {
  return settingsSchema(SERVE_SETTINGS, 'Configuration of msg serve');
}
