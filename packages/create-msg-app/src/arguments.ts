import { parseArgs } from 'node:util';
import { CreateError } from './create-error.ts';

/** What the command line says; `undefined` is not said. */
export interface Arguments {
  readonly folder?: string | undefined;
  readonly template?: string | undefined;
  readonly page?: string | undefined;
  /** Take the default of everything that is not said. */
  readonly yes: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

/** @throws CreateError for a flag that does not exist, or a second folder */
export function readArguments(words: readonly string[]): Arguments {
  const { values, positionals } = parsed(words);
  const [folder, ...more] = positionals;
  if (more.length > 0)
    throw new CreateError(`one folder is enough; got ${positionals.join(', ')}`, 'npm create msg-app my-app');
  return { folder, ...values };
}

function parsed(words: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        template: { type: 'string' },
        page: { type: 'string' },
        yes: { ...flag, short: 'y' },
        help: { ...flag, short: 'h' },
        version: flag,
      },
    });
  } catch (cause) {
    const [problem = ''] = cause instanceof Error ? cause.message.split('. ') : [];
    throw new CreateError(problem, 'npm create msg-app -- --help', { cause });
  }
}
