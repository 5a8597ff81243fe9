export {
  type Argument,
  type CommandFacts,
  type CommandRow,
  type CommandSpec,
  command,
  type Example,
  type Invocation,
  type ResolvedInvocation,
} from './command.ts';
export { type ProgramIo, processIo, type TerminalFacts } from './io.ts';
export * from './output/choice.ts';
export type { Style } from './output/style.ts';
export { defineProgram, runProcess, runProgram } from './program.ts';
export type { Failure, Program, ProgramRow } from './program-row.ts';
export type { FileList, FileMap, FileNull, FilePlace, FileScalar, FileValue } from './settings/file-value.ts';
export * from './settings/flags.ts';
export { path } from './settings/path-type.ts';
export type {
  Resolved,
  Setting,
  SettingFile,
  SettingGroup,
  SettingSources,
  SettingType,
  Suggestion,
} from './settings/setting.ts';
export * from './settings/setting-types.ts';
export { UsageError, type UsageErrorOptions } from './usage-error.ts';
