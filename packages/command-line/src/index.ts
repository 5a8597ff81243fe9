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
export * from './output/choice.ts';
export { type HumanForm, humanText } from './output/human.ts';
export { safeText } from './output/safe-text.ts';
export type { Style } from './output/style.ts';
export { defineProgram, runProcess, runProgram } from './program.ts';
export type { Failure, Program, ProgramRow } from './program-row.ts';
export { type Entry, type EntryShape, entryList, entryMap } from './settings/entry-types.ts';
export * from './settings/file-value.ts';
export * from './settings/flags.ts';
export { oneOf, orNull, SCALAR, wholeNumber } from './settings/json-schema.ts';
export { KnownKeys } from './settings/known-keys.ts';
export { path } from './settings/path-type.ts';
export * from './settings/setting.ts';
export * from './settings/setting-types.ts';
export { settingsSchema } from './settings/settings-schema.ts';
export { settingsTemplate } from './settings/settings-template.ts';
export { display, UsageError, type UsageErrorOptions } from './usage-error.ts';
