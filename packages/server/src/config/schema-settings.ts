import { choice, path, setting } from '@msg/command-line';
import { entryList } from '@msg/command-line/internal';
import { required } from '@msg/foundation/shape';
import { pattern } from './setting-types.ts';

const rules = entryList({
  pattern: required(pattern, 'the channels whose publications are looked at'),
  mode: required(choice('strict', 'warn', 'off'), '`strict` refuses what does not fit, `warn` logs it'),
});

/** The settings of the schema registry (messaging details 14). */
export const SCHEMA_SETTINGS = {
  schemasFile: setting(
    'schemas_file',
    path,
    '',
    'JSON file with a snapshot of channel patterns, loaded at the start; with a shared store only while that holds none',
  ),
  schemaValidation: setting(
    'schema_validation',
    rules,
    [],
    'publications that are held to the schemas of their channels; the most specific pattern wins',
  ),
} as const;
