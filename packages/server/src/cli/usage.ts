import type { Argument, CommandFacts } from './command.ts';

/** An argument as usages show it. */
export function shownArgument({ name, optional }: Argument): string {
  return optional ? `[${name}]` : `<${name}>`;
}

/** How a command is called: `msg channels open <name>`. */
export function usageOf({ name, args = [] }: CommandFacts): string {
  return ['msg', name, ...args.map(shownArgument)].join(' ');
}
