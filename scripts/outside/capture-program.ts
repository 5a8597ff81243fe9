// Loaded with `--import` into a program of ours: instead of a command line being parsed, the parser's tree is written
// to the file that OUTSIDE_CAPTURE names, and the program ends.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// The packages may have copies of their own of the parser. This is the part of it that is read.
interface Argument {
  name(): string;
  readonly required: boolean;
  readonly variadic: boolean;
}

interface Option {
  readonly long?: string | null;
  readonly short?: string | null;
  readonly flags: string;
  readonly required: boolean;
  readonly optional: boolean;
  readonly mandatory: boolean;
  readonly negate: boolean;
  readonly defaultValue?: unknown;
}

interface Command {
  name(): string;
  createHelp(): { visibleOptions(command: Command): readonly Option[] };
  readonly registeredArguments: readonly Argument[];
  readonly commands: readonly Command[];
}

/** One command as the parser knows it; each flag with its short form, value, and default. */
export interface CapturedCommand {
  readonly arguments: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, CapturedCommand>>;
}

function argumentText(argument: Argument): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

function flagText({ short, required, optional, mandatory, negate, defaultValue }: Option): string {
  return [
    ...(short ? [short] : []),
    ...(required ? ['<value>'] : []),
    ...(optional ? ['[value]'] : []),
    ...(mandatory ? ['required'] : []),
    ...(defaultValue === undefined || negate ? [] : [`default ${JSON.stringify(defaultValue)}`]),
  ].join(' ');
}

function describe(command: Command): CapturedCommand {
  const options = command.createHelp().visibleOptions(command);
  return {
    arguments: command.registeredArguments.map(argumentText),
    flags: Object.fromEntries(options.map(option => [option.long ?? option.flags, flagText(option)])),
    commands: Object.fromEntries(command.commands.map(child => [child.name(), describe(child)])),
  };
}

function capture(this: Command): never {
  const file = process.env['OUTSIDE_CAPTURE'];
  if (file === undefined) throw new Error('OUTSIDE_CAPTURE names no file');
  writeFileSync(file, JSON.stringify(describe(this)));
  process.exit(0);
}

/** Called by the module that stands for the parser, with the parser's class. */
export function patch(parser: { readonly prototype: object }): void {
  Object.assign(parser.prototype, { parse: capture, parseAsync: capture });
}

const STAND_IN = 'outside:';

// Every import of the parser gets a module that exports the same after it was patched.
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier.startsWith(STAND_IN)) return { url: specifier, shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    if (specifier !== 'commander' || context.parentURL?.startsWith(STAND_IN)) return resolved;
    return { url: STAND_IN + resolved.url, shortCircuit: true };
  },
  load(url, context, nextLoad) {
    if (!url.startsWith(STAND_IN)) return nextLoad(url, context);
    const parser = JSON.stringify(url.slice(STAND_IN.length));
    const source = [
      `import { Command } from ${parser};`,
      `import { patch } from ${JSON.stringify(import.meta.url)};`,
      `patch(Command);`,
      `export * from ${parser};`,
    ].join('\n');
    return { format: 'module', source, shortCircuit: true };
  },
});
