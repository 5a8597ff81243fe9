import type { ProgramIo } from '../io.ts';
import { switchFlag, valueFlag } from '../settings/flags.ts';
import { resolve, type Setting, type SettingSources } from '../settings/setting.ts';
import { choice } from '../settings/setting-types.ts';
import { type Style, styleFor } from './style.ts';

/** Forms that a result can have: `auto` is `table` on a terminal, else `json`. */
export type OutputForm = 'auto' | 'json' | 'table' | 'wide';

/** The flags that decide how results are shown. */
export interface OutputSettings {
  readonly output: Setting<OutputForm>;
  readonly noColor: Setting<boolean>;
}

/** The output flags of a program. @param env variable with the default form, `MSG_OUTPUT` */
export function outputSettings(env: string): OutputSettings {
  return {
    output: valueFlag(
      '--output',
      choice('auto', 'json', 'table', 'wide'),
      'auto',
      'form of results: auto is a table on a terminal and JSON elsewhere; wide cuts nothing and has absolute times',
      { env },
    ),
    noColor: switchFlag('--no-color', 'no colour, as the variable NO_COLOR'),
  };
}

/** How results are shown to a person; `undefined` for JSON. */
export interface TableOutput {
  readonly width: number;
  readonly wide: boolean;
  readonly style: Style;
}

/** The width where there is no terminal. */
const DEFAULT_WIDTH = 80;

/** The form of results for one command line. @param json the line asks for JSON in another way */
export function tableOutput(
  settings: OutputSettings,
  sources: SettingSources,
  { env, terminal }: Pick<ProgramIo, 'env' | 'terminal'>,
  json: boolean,
): TableOutput | undefined {
  const form = resolve(settings.output, sources);
  const isTable = form === 'auto' ? terminal.out : form !== 'json';
  if (json || !isTable) return undefined;
  const noColor = resolve(settings.noColor, sources);
  return {
    width: terminal.columns ?? DEFAULT_WIDTH,
    wide: form === 'wide',
    style: styleFor({ env, isTerminal: terminal.out, noColor }),
  };
}
