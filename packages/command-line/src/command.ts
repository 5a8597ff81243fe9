import type { ProgramIo } from './io.ts';
import { type Resolved, resolveAll, type SettingGroup, type SettingSources } from './settings/setting.ts';

/** A positional argument. */
export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly optional?: true;
  /** May be given several times; the last argument only. */
  readonly repeatable?: true;
  /** The words it may be; completion offers them. */
  readonly words?: readonly string[];
}

/** A command line worth showing, without the program's name. */
export interface Example {
  readonly line: string;
  readonly help: string;
}

/** What help, completion and reference pages show of a command. */
export interface CommandFacts {
  /** The words after the program's name: `channels open`. Those before the last are a group of the program. */
  readonly name: string;
  readonly args?: readonly Argument[];
  /** One line. */
  readonly summary: string;
  /** What else there is to know. */
  readonly detail?: string;
  readonly examples?: readonly Example[];
}

/** A command line taken apart. */
export interface Invocation<Io extends ProgramIo> {
  /** Positional arguments; an optional one may be absent. */
  readonly args: readonly string[];
  readonly sources: SettingSources;
  readonly io: Io;
}

/** One command of a program. */
export interface CommandSpec<Io extends ProgramIo> extends CommandFacts {
  readonly settings: SettingGroup;
  /** Answers the exit code where it is not 0. */
  run(invocation: Invocation<Io>): Promise<number | undefined>;
}

/** What a command works with whose settings come from flags, variables and defaults. */
export interface ResolvedInvocation<Io extends ProgramIo, S extends SettingGroup> extends Invocation<Io> {
  readonly settings: Resolved<S>;
}

/** A command row whose settings are resolved before it runs. */
export interface CommandRow<Io extends ProgramIo, S extends SettingGroup> extends CommandFacts {
  readonly settings: S;
  run(invocation: ResolvedInvocation<Io, S>): Promise<number | undefined>;
}

/** Makes a command of its row. */
export function command<Io extends ProgramIo, const S extends SettingGroup>(
  row: CommandRow<Io, S>,
): CommandSpec<Io> {
  return {
    ...row,
    run: invocation => row.run({ ...invocation, settings: resolveAll(row.settings, invocation.sources) }),
  };
}

/** An argument as usages show it. */
export function argumentText({ name, optional, repeatable }: Argument): string {
  const text = repeatable ? `${name}...` : name;
  return optional ? `[${text}]` : `<${text}>`;
}

/** How a command of a program is called: `msg channels open <name>`. */
export function usageOf(program: string, { name, args = [] }: CommandFacts): string {
  return [program, name, ...args.map(argumentText)].filter(word => word !== '').join(' ');
}
