import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';
import { html, type Markup } from './markup.ts';

const TONES = ['neutral', 'accent', 'positive', 'caution', 'critical'] as const;

/** What a value means, as the theme has it (dashboard details 8). */
export type Tone = (typeof TONES)[number];

/** The tone that values have from a number on (page and review 5.9). */
export interface Threshold {
  readonly from: number;
  readonly tone: Tone;
}

/** The thresholds of a resolved config, ascending; empty without any. */
export function thresholdsOf(config: JsonObject | undefined): readonly Threshold[] {
  const stored = config === undefined ? undefined : ownMember(config, 'thresholds');
  return Array.isArray(stored) ? stored.flatMap(thresholdOf) : [];
}

/** The tone of the last threshold that is not above a value; undefined below the first. */
export function toneAt(thresholds: readonly Threshold[], value: number): Tone | undefined {
  return thresholds.findLast(({ from }) => from <= value)?.tone;
}

/** Shape, colour and word of a tone; none of the neutral one, which says nothing. */
export function toneState(tone: Tone): Markup | undefined {
  if (tone === 'neutral') return undefined;
  const { look, shape } = STATES[tone];
  return html`<span class="state ${look}"><svg viewBox="0 0 10 10" aria-hidden="true">${shape}</svg><span>${tone}</span></span>`;
}

const STATES: Readonly<Record<Exclude<Tone, 'neutral'>, { look: string; shape: Markup }>> = {
  accent: { look: 'off', shape: html`<circle cx="5" cy="5" r="4"/>` },
  positive: { look: 'ok', shape: html`<circle cx="5" cy="5" r="5"/>` },
  caution: { look: 'warn', shape: html`<path d="M5 .8 9.6 9H.4z"/>` },
  critical: { look: 'bad', shape: html`<path d="M5 0l5 5-5 5-5-5z"/>` },
};

function thresholdOf(stored: unknown): Threshold[] {
  if (!isJsonObject(stored)) return [];
  const from = ownMember(stored, 'from');
  const tone = TONES.find(name => name === ownMember(stored, 'tone'));
  return typeof from === 'number' && tone !== undefined ? [{ from, tone }] : [];
}
