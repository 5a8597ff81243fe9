import { choice, entryList, path, required, type Setting } from '@msg/command-line';
import { pattern } from './setting-types.ts';

const rules = entryList({
  pattern: required(pattern, 'the channels whose publications are looked at'),
  mode: required(choice('strict', 'warn', 'off'), '`strict` refuses what does not fit, `warn` logs it'),
});

/** The settings of the schema registry (messaging details 14). */
export const SCHEMA_SETTINGS = {
  schemasFile: {
    key: 'schemas_file',
    type: path,
    fallback: '',
    help: 'JSON file with a snapshot of channel patterns, loaded at the start; with a shared store only while that holds none',
  } satisfies Setting<string>,
  schemaValidation: {
    key: 'schema_validation',
    type: rules,
    fallback: [],
    help: 'publications that are held to the schemas of their channels; the most specific pattern wins',
  } satisfies Setting<ReturnType<typeof rules.read>>,
} as const;
