/** How parts of a text are marked on a terminal. Colour only underlines what the words say. */
export interface Style {
  heading(text: string): string;
  label(text: string): string;
  error(text: string): string;
}

/** What decides whether there is colour. */
export interface ColourChoice {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The stream is a terminal. */
  readonly isTerminal: boolean;
  /** The line holds `--no-color`. */
  readonly noColor: boolean;
}

/** `--no-color` switches off, `FORCE_COLOR` on, `NO_COLOR` and `TERM=dumb` off; else a terminal has colour. */
function hasColour({ env, isTerminal, noColor }: ColourChoice): boolean {
  if (noColor) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;

const COLOUR: Style = { heading: sgr(1, 22), label: sgr(2, 22), error: sgr(31, 39) };

const same = (text: string): string => text;

/** Texts as they are. */
export const PLAIN: Style = { heading: same, label: same, error: same };

/** The style for a stream. */
export function styleFor(choice: ColourChoice): Style {
  return hasColour(choice) ? COLOUR : PLAIN;
}
