import type { CommandSpec } from './command.ts';
import type { ProgramIo } from './io.ts';
import type { SettingGroup } from './settings/setting.ts';

/** What is written for a command line that failed. */
export interface Failure {
  /** One text for standard error, without a last newline. */
  readonly text: string;
  readonly exitCode: number;
  /** What to do; the line `try:` under the text. */
  readonly remedy?: string | undefined;
  /** Where to read on; the line `see:`. */
  readonly page?: string | undefined;
}

/** A program before its completion is added. */
export interface ProgramRow<Io extends ProgramIo> {
  /** The word that starts it. */
  readonly name: string;
  readonly summary: string;
  /** The line that `--version` prints. */
  readonly version: string;
  readonly commands: readonly CommandSpec<Io>[];
  /** What the words mean with which several commands begin: `channels`, `outbox dead`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** What runs where the line names no command; its name is empty. */
  readonly root?: CommandSpec<Io>;
  /** Flags that every command takes. */
  readonly settings?: SettingGroup;
  /** The text below the commands in the program's help. */
  readonly detail?: string;
  /**
   * The form of the program's errors. `json`: the line holds `--json`. `command`: the words of the command that failed while it
   * ran; empty where none did.
   */
  failure(error: unknown, json: boolean, command: string): Failure;
}

/** A program whose rows hold all its commands. */
export interface Program<Io extends ProgramIo> extends Required<Omit<ProgramRow<Io>, 'root'>> {
  readonly root: CommandSpec<Io> | undefined;
}
