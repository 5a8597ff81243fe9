import type { Tone } from '../tones.ts';

/** Colours of a file by the properties of the design, for light and dark; a picture knows no style sheet. */
const COLOURS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  '--canvas': ['#f7f7f5', '#111210'],
  '--surface': ['#ffffff', '#191a18'],
  '--line': ['#e6e6e0', '#2a2c29'],
  '--line-strong': ['#d2d2cb', '#3a3d39'],
  '--ink': ['#1a1b19', '#ecede9'],
  '--ink-2': ['#484a45', '#bfc2bb'],
  '--ink-3': ['#62645e', '#989c94'],
  '--accent': ['#1a56bd', '#85adff'],
  '--ok-mark': ['#1f8a53', '#46b279'],
  '--warn-mark': ['#b57408', '#d99a26'],
  '--bad': ['#ac231b', '#ff8d84'],
  '--bad-mark': ['#d13a30', '#ef6259'],
  '--series-1': ['#1c54b8', '#6799fc'],
  '--series-2': ['#c24f08', '#e38942'],
  '--series-3': ['#12876b', '#7ad6ad'],
  '--series-4': ['#7a3268', '#b0628f'],
  '--series-5': ['#2c9adc', '#1e82c4'],
  '--series-6': ['#aa9034', '#ebc33a'],
  '--series-7': ['#7468b4', '#d2bcfd'],
  '--series-8': ['#89939d', '#95a2aa'],
};

/** Properties of the marks of tones. */
const TONE_MARKS: Readonly<Record<Tone, string>> = {
  neutral: '--ink',
  accent: '--accent',
  positive: '--ok-mark',
  caution: '--warn-mark',
  critical: '--bad-mark',
};

/** The scheme of a file. */
export type Scheme = 'light' | 'dark';

/** The colours of a scheme. */
export class Colours {
  readonly #at: 0 | 1;

  constructor(scheme: Scheme) {
    this.#at = scheme === 'light' ? 0 : 1;
  }

  /** The colour of a property; that of text for one that files do not have. */
  of(property: string): string {
    return (COLOURS[property] ?? COLOURS['--ink'])?.[this.#at] ?? '';
  }

  ofTone(tone: Tone): string {
    return this.of(TONE_MARKS[tone]);
  }

  /** A drawing of a page with colours in place of properties. */
  filled(svg: string): string {
    return svg.replace(/var\((--[a-z0-9-]+)\)/g, (_, property: string) => this.of(property));
  }
}

/** All of them, for the comparison with the design. */
export const FILE_COLOURS = COLOURS;
