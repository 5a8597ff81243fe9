import { MsgError } from '../errors.ts';

/** One token of a registry pattern. */
export type PatternToken =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: string }
  /** One token, unnamed. */
  | { readonly kind: 'wildcard' }
  /** One or more tokens, at the end. */
  | { readonly kind: 'rest' };

/** A parsed registry pattern. */
export interface SchemaPattern {
  readonly text: string;
  readonly tokens: readonly PatternToken[];
  /** The separator before the second token, the third, …: `.` or `:`. */
  readonly separators: readonly string[];
  readonly specificity: number;
}

const WEIGHTS: Readonly<Record<PatternToken['kind'], number>> = {
  literal: 4,
  placeholder: 2,
  wildcard: 1,
  rest: 0,
};

/** Bytes of a pattern; channel names are no longer. */
const MAX_LENGTH = 255;

function invalid(text: string, why: string): MsgError {
  const excerpt = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new MsgError('MSG_INVALID_ARGUMENT', `schema pattern ${JSON.stringify(excerpt)}: ${why}`);
}

function tokenOf(text: string, pattern: string): PatternToken {
  if (text === '') throw invalid(pattern, 'a token is empty');
  if (text === '**') return { kind: 'rest' };
  if (text === '*') return { kind: 'wildcard' };
  const name = /^\{([^{}*]+)\}$/.exec(text)?.[1];
  if (name !== undefined) return { kind: 'placeholder', name };
  if (/[{}*]/.test(text)) throw invalid(pattern, `${JSON.stringify(text)} mixes text with {, } or *`);
  return { kind: 'literal', text };
}

/**
 * Parses a registry pattern: literals, `{name}`, `*` and a last `**`, separated by `.` or `:`.
 * @throws MsgError MSG_INVALID_ARGUMENT. Source: messaging details 14.1.
 */
export function parseSchemaPattern(text: string): SchemaPattern {
  if (text === '') throw invalid(text, 'it is empty');
  if (text.length > MAX_LENGTH) throw invalid(text, `it is longer than ${MAX_LENGTH} characters`);
  const tokens = text.split(/[.:]/).map(token => tokenOf(token, text));
  if (tokens.findIndex(({ kind }) => kind === 'rest') !== -1 && tokens.at(-1)?.kind !== 'rest')
    throw invalid(text, '** is allowed at the end only');
  if (tokens.filter(({ kind }) => kind === 'rest').length > 1) throw invalid(text, '** is there twice');
  const names = tokens.flatMap(token => (token.kind === 'placeholder' ? [token.name] : []));
  if (new Set(names).size < names.length) throw invalid(text, 'a placeholder is there twice');
  const specificity = tokens.reduce((sum, { kind }) => sum + WEIGHTS[kind], 0);
  return { text, tokens, separators: text.match(/[.:]/g) ?? [], specificity };
}

/** The values of the placeholders in a channel name; `undefined` when the pattern does not match. */
export function bindChannel(
  { tokens }: SchemaPattern,
  channel: string,
): Readonly<Record<string, string>> | undefined {
  const parts = channel.split(/[.:]/);
  const hasRest = tokens.at(-1)?.kind === 'rest';
  if (hasRest ? parts.length < tokens.length : parts.length !== tokens.length) return undefined;
  const bindings: [string, string][] = [];
  for (const [index, token] of tokens.entries()) {
    const part = parts[index] ?? '';
    if (part === '') return undefined;
    if (token.kind === 'literal' && token.text !== part) return undefined;
    if (token.kind === 'placeholder') bindings.push([token.name, part]);
  }
  return Object.fromEntries(bindings);
}

/** Sorts the better match first: higher specificity, then the smaller text. */
export function compareSpecificity(a: SchemaPattern, b: SchemaPattern): number {
  if (a.specificity !== b.specificity) return b.specificity - a.specificity;
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}
