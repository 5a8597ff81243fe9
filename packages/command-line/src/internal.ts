// For the packages of this repository alone: nothing here is promised to programs.
export { usageOf } from './command.ts';
export { type HumanForm, humanText } from './output/human.ts';
export { safeText } from './output/safe-text.ts';
export { type Entry, type EntryShape, entryList, entryMap } from './settings/entry-types.ts';
export { fileError, requireList, requireMap, unknownKey } from './settings/file-value.ts';
export { oneOf, orNull, SCALAR, wholeNumber } from './settings/json-schema.ts';
export { KnownKeys } from './settings/known-keys.ts';
export { describe, readScalar, resolve, resolveAll, resolveFrom } from './settings/setting.ts';
export { settingsSchema } from './settings/settings-schema.ts';
export { settingsTemplate } from './settings/settings-template.ts';
export { display } from './usage-error.ts';
