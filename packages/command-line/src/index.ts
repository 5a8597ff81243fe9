export { optional, required } from '@msg/foundation/shape';
export {
  type Argument,
  type CommandFacts,
  type CommandRow,
  type CommandSpec,
  command,
  type Example,
  type Invocation,
  type ResolvedInvocation,
  usageOf,
} from './command.ts';
export { type ProgramIo, processIo, type TerminalFacts } from './io.ts';
export {
  type OutputForm,
  type OutputSettings,
  outputSettings,
  type TableOutput,
  tableOutput,
} from './output/choice.ts';
export { type HumanForm, humanText } from './output/human.ts';
export { safeText } from './output/safe-text.ts';
export type { Style } from './output/style.ts';
export { defineProgram, runProcess, runProgram } from './program.ts';
export type { Failure, Program, ProgramRow } from './program-row.ts';
export { type Entry, type EntryShape, entryList, entryMap } from './settings/entry-types.ts';
export {
  type FileList,
  type FileMap,
  type FileNull,
  type FilePlace,
  type FileScalar,
  type FileValue,
  fileError,
  requireList,
  requireMap,
  unknownKey,
} from './settings/file-value.ts';
export {
  defaultFlag,
  type FlagExtras,
  type SettingExtras,
  setting,
  switchFlag,
  textFlag,
  valueFlag,
} from './settings/flags.ts';
export { oneOf, orNull, SCALAR, wholeNumber } from './settings/json-schema.ts';
export { KnownKeys } from './settings/known-keys.ts';
export { path } from './settings/path-type.ts';
export {
  describe,
  type Resolved,
  type ResolvedValue,
  readScalar,
  resolve,
  resolveAll,
  resolveFrom,
  type Setting,
  type SettingFile,
  type SettingGroup,
  type SettingLayer,
  type SettingSources,
  type SettingType,
  type Suggestion,
} from './settings/setting.ts';
export {
  choice,
  count,
  list,
  optionalText,
  positiveCount,
  scalarType,
  secret,
  text,
  textMap,
  texts,
  toggle,
} from './settings/setting-types.ts';
export { settingsSchema } from './settings/settings-schema.ts';
export { settingsTemplate } from './settings/settings-template.ts';
export { display, UsageError, type UsageErrorOptions } from './usage-error.ts';
